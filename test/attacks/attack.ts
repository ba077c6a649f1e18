import type { Arena } from './arena.js';

/** Result of one attack: its figures, and every promise that it broke. */
export interface Outcome {
  figures: Record<string, number | string>;
  broken: string[];
}

/** One attack on a running service. */
export interface Attack {
  name: string;
  /** Reason why the attack cannot run in this arena, or null. */
  needs?: (arena: Arena) => string | null;
  run(arena: Arena): Promise<Outcome>;
}
