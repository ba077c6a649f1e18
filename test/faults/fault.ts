import { eventually } from '../support/eventually.js';
import type { Crowd } from './crowd.js';
import { now } from './history.js';
import type { Instance, Rule } from './instance.js';
import type { Stage, StageOptions } from './stage.js';

/** A fault that is injected while clients are active. */
export interface Fault {
  /** Number such as `F3`. Each round of seeds covers every number. */
  number: `F${number}`;
  name: string;
  /** Progress at which the fault is injected, 0 to 1. Chosen by the seed if missing. */
  at?: number;
  /** Reason why the fault cannot run on that stage; then it is skipped with this message. */
  needs?: (stage: Stage) => string | null;
  /** Options of a dedicated stage; without them the fault shares one. */
  stage?: StageOptions;
  /** True if one dedicated stage serves many seeds of all faults with the same options. */
  reusesStage?: boolean;
  /**
   * Breaks something for a while and repairs it. `Stage.mend` repairs the rest: it starts dead instances, continues
   * stopped ones and heals proxies.
   */
  inject(scene: Scene): Promise<void>;
}

/** Everything a fault can act on. */
export interface Scene {
  stage: Stage;
  crowd: Crowd;
  /** Random numbers of the seed, equal each time the seed is played. */
  random: () => number;
  /** Maximum wait for what must happen, in milliseconds. Short in controls, in which it never happens. */
  waitMs: number;
}

/** Ends the silence of a swallowed database. Without a bus, an instance learns only now what ended on another one. */
export async function endSilence({ stage, crowd }: Scene): Promise<void> {
  await stage.database.proxy.heal();
  if (!stage.bus) crowd.history.databaseBackAt = now();
}

/** Picks one at random. */
export function pick<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/**
 * Kills the instances that pass the point during the work, or one at random if none does in time. Starts the dead while
 * the work goes on, which may wait for them.
 */
export async function killAt(
  { stage, random }: Scene,
  rule: Omit<Rule, 'action'>,
  ms: number,
  work: () => Promise<void>,
): Promise<void> {
  const { instances } = stage;
  await Promise.all(instances.map(instance => instance.arm({ ...rule, action: 'kill' })));
  const working = work();
  working.catch(() => undefined);
  const anyDied = () => instances.some(({ alive }) => !alive) || undefined;
  const died = await eventually(anyDied, ms).catch(() => false);
  if (!died) await pick(random, instances).kill();
  await Promise.all(instances.map(instance => disarm(instance)));
  await startDead(stage);
  await working;
}

/** It may die in this moment. */
async function disarm(instance: Instance): Promise<void> {
  if (instance.alive) await instance.arm().catch(() => undefined);
}

/** Starts the instances that are dead. */
export async function startDead({ instances }: Stage): Promise<void> {
  await Promise.all(instances.map(async instance => (instance.alive ? undefined : instance.start())));
}
