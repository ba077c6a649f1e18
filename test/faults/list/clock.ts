import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, Scene } from '../fault.js';
import { pick } from '../fault.js';
import { now } from '../history.js';
import type { Instance } from '../instance.js';

const MINUTE_MS = 60_000;

const jump = (name: string, ms: number, whose: (scene: Scene) => readonly Instance[]): Fault => ({
  number: 'F11',
  name,
  async inject(scene) {
    await setClocks(scene, whose(scene), ms);
    await delay(1_500);
    await setClocks(scene, scene.stage.instances, 0);
  },
});

/** Sets the clocks of the instances that run this far ahead. Each may die meanwhile. */
export async function setClocks(
  { crowd: { history } }: Scene,
  instances: readonly Instance[],
  aheadMs: number,
): Promise<void> {
  const setsBack = aheadMs < (history.clocks.at(-1)?.aheadMs ?? 0);
  if (!setsBack) history.clocks.push({ at: now(), aheadMs });
  const running = instances.filter(({ alive }) => alive);
  await Promise.all(running.map(instance => setClock(instance, aheadMs)));
  if (setsBack) history.clocks.push({ at: now(), aheadMs });
}

async function setClock(instance: Instance, ms: number): Promise<void> {
  await instance.order('jump', { ms }).catch((error: unknown) => {
    if (!instance.isDoomed) throw error;
  });
}

const all = ({ stage }: Scene) => stage.instances;
const one = ({ stage, random }: Scene) => [pick(random, stage.instances)];

/** Clocks that jump and return. Tokens live for fifteen minutes. */
export const CLOCK_FAULTS: readonly Fault[] = [
  jump('all clocks jump ahead by ten minutes', 10 * MINUTE_MS, all),
  jump('all clocks jump back by a day', -24 * 60 * MINUTE_MS, all),
  jump('the clock of one instance jumps ahead by five minutes', 5 * MINUTE_MS, one),
  jump('tokens expire during connections', 16 * MINUTE_MS, all),
];
