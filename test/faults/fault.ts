import type { Crowd } from './crowd.js';
import type { Stage, StageOptions } from './stage.js';

/** Something that breaks while people talk. */
export interface Fault {
  /** `F3`: what faults are drawn by, so that each number comes up. */
  number: `F${number}`;
  name: string;
  /** How much has been said when it strikes, from 0 to 1; else it is the seed that says. */
  at?: number;
  /** What it cannot do without; where that is missing, it is skipped with this reason. */
  needs?: (stage: Stage) => string | null;
  /** A stage that is opened for this fault alone, and closed after it; else it shares one with others. */
  stage?: StageOptions;
  /**
   * Breaks it, for as long as it should be broken, and puts it right again. Whatever it forgets `Stage.mend` finds:
   * dead instances start, stopped ones go on, proxies heal.
   */
  strike(scene: Scene): Promise<void>;
}

/** What a fault finds when it strikes. */
export interface Scene {
  stage: Stage;
  crowd: Crowd;
  /** Of the seed: the same numbers in the same order, whenever it is played again. */
  random: () => number;
}

/** One of them, by the seed. */
export function pick<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}
