import type { Arena } from './arena.js';

/** Result of an attack: measurements, and a description of each broken promise. */
export interface Outcome {
  figures: Record<string, number | string>;
  broken: string[];
}

/** One attack on a running service. */
export interface Attack {
  name: string;
  /** Reason why the attack cannot run in this arena; null if it can. */
  needs?: (arena: Arena) => string | null;
  run(arena: Arena): Promise<Outcome>;
}
