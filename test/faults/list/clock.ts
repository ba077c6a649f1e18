import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, Scene } from '../fault.js';
import { pick } from '../fault.js';
import type { Instance } from '../instance.js';

const MINUTE_MS = 60_000;

const jump = (name: string, ms: number, whose: (scene: Scene) => readonly Instance[]): Fault => ({
  number: 'F11',
  name,
  async inject(scene) {
    for (const instance of whose(scene)) await instance.order('jump', { ms });
    await delay(1_500);
    for (const instance of scene.stage.instances) await instance.order('jump', { ms: 0 });
  },
});

const all = ({ stage }: Scene) => stage.instances;
const one = ({ stage, random }: Scene) => [pick(random, stage.instances)];

/** Clocks that jump and return. Tokens live for fifteen minutes. */
export const CLOCK_FAULTS: readonly Fault[] = [
  jump('all clocks jump ahead by ten minutes', 10 * MINUTE_MS, all),
  jump('all clocks jump back by a day', -24 * 60 * MINUTE_MS, all),
  jump('the clock of one instance jumps ahead by five minutes', 5 * MINUTE_MS, one),
  jump('tokens expire during connections', 16 * MINUTE_MS, all),
];
