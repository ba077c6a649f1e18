import type { Crowd } from './crowd.js';
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
}

/** Picks one at random. */
export function pick<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}
