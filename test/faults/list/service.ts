import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import type { Rule } from '../instance.js';

/** Long enough for every point to be passed while people talk. */
const PASSED_MS = 3_000;

const dying = (point: Rule['point'], when: string): Fault => ({
  number: 'F1',
  name: `kill -9 of an instance ${when}`,
  async strike({ stage, random }) {
    const victim = pick(random, stage.instances);
    await victim.arm({ point, action: 'kill', after: Math.floor(random() * 8) });
    if (!(await victim.dies(PASSED_MS))) await victim.kill();
    await delay(random() * 500);
  },
});

/** The service's own deaths and stalls. */
export const SERVICE_FAULTS: readonly Fault[] = [
  dying('write', 'before a statement'),
  dying('commit', 'before COMMIT'),
  dying('publish', 'after COMMIT, before anybody is told'),
  dying('answer', 'after all of it, before the answer'),
  {
    number: 'F1',
    name: 'kill -9 of both instances at once',
    async strike({ stage, random }) {
      await delay(random() * 200);
      await Promise.all(stage.instances.map(instance => instance.kill()));
    },
  },
];
