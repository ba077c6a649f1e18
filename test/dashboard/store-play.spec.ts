import { describe, it } from '@jest/globals';
import { StorePlay } from './store-play.js';

const SEED = Number(process.env.STORE_SEED ?? 1);
const SEEDS = Number(process.env.STORE_SEEDS ?? 150);
const STEPS = 120;

describe('The store of the dashboard in random histories', () => {
  it('Lists, conversations, messages and unread counts end as the service has them, in whatever order frames and responses arrive.', () => {
    for (let seed = SEED; seed < SEED + SEEDS; seed += 1) {
      try {
        new StorePlay(seed).run(STEPS);
      } catch (error) {
        throw new Error(`STORE_SEED=${seed} fails`, { cause: error });
      }
    }
  });
});
