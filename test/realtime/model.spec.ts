import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TestDatabase } from '../support/database.js';
import { ownDatabase } from '../support/own-database.js';
import type { TalkDesk } from '../support/talk-commands.js';
import { steps, Talk, talkDesk } from '../support/talk-commands.js';
import { PEOPLE } from '../support/talk-model.js';
import { World } from '../support/world.js';

/** MODEL_RUNS=… talks for long, MODEL_SEED=… and MODEL_PATH=… talk the same again. */
const RUNS = Number(process.env.MODEL_RUNS ?? 100);
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const PATH = process.env.MODEL_PATH;
/** A talk whose failure is being shortened is repeated; it need not be the shortest that there is. */
const SHORTENING_MS = 60_000;

let database: TestDatabase;
let world: World;
let at: TalkDesk;

// a server of its own: what other tests hold open would hold back the log, and every cursor with it
beforeAll(async () => {
  database = await ownDatabase();
  world = await World.start({}, { database });
  at = await talkDesk(world);
}, 60_000);
afterAll(async () => {
  await world?.stop();
  await database?.drop();
});

describe('a conversation of three clients that come, go, drop out and come back', () => {
  it(
    'is as the model of it says, and each has heard what it was to hear, in order, and nothing else',
    async () => {
      let talks = 0;
      const talk = fc.asyncProperty(
        fc.boolean(),
        fc.subarray([...PEOPLE]),
        fc.commands(steps(), { maxCommands: 40, size: '+1' }),
        async (near, early, commands) => {
          const { model, real } = await Talk.begin(at, near, early);
          talks += 1;
          try {
            await fc.asyncModelRun(() => ({ model, real }), commands);
            await real.look(model);
          } finally {
            real.end();
          }
        },
      );
      await fc.assert(talk, {
        seed: SEED,
        numRuns: RUNS,
        ...(PATH === undefined ? {} : { path: PATH }),
        interruptAfterTimeLimit: RUNS * 1_000 + SHORTENING_MS,
        markInterruptAsFailure: true,
      });
      expect(talks).toBeGreaterThanOrEqual(PATH === undefined ? RUNS : 1);
    },
    RUNS * 2_000 + 2 * SHORTENING_MS,
  );
});
