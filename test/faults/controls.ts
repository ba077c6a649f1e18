import type { Invariant } from './checker.js';
import type { Fault } from './fault.js';
import { CROWDING_FAULTS } from './list/crowding.js';
import { WRONG_DATA } from './list/bus.js';
import { HELD_TRANSACTION, strikeRestore } from './list/log.js';
import { play } from './play.js';
import { Stage } from './stage.js';

/** A service, or a PostgreSQL, that is wrong on purpose: the checker must say so, or its silence is worth nothing. */
export interface Control {
  name: string;
  /** What it must name. */
  breaks: Invariant;
  /** Why it cannot be tried on that stage. */
  needs?: (stage: Stage) => string | null;
  /** @returns what it named, over all tries */
  run(stage: Stage, seed: number): Promise<Set<Invariant>>;
}

/** Nobody waits long for what will not come. */
const QUIET_MS = 2_500;
/** What is wrong has to be met, and whom the third call of three finds is chance. */
const ATTEMPTS = 4;

/**
 * The mutant is wrong from the first word until all has been looked at.
 * @param meets the fault that shows what is wrong with it; without one, people only talk
 */
const mutant = (name: string, breaks: Invariant, meets: Partial<Pick<Fault, 'needs' | 'strike'>> = {}): Control => ({
  name,
  breaks,
  ...(meets.needs && { needs: meets.needs }),
  async run(stage, seed) {
    const fault: Fault = {
      number: 'F0',
      name,
      at: 0,
      async strike(scene) {
        for (const instance of stage.instances) await instance.mutate(name, true);
        await (meets.strike ? meets.strike(scene) : scene.crowd.reaches(1.2));
      },
    };
    const named = new Set<Invariant>();
    try {
      for (let attempt = 0; attempt < ATTEMPTS && !named.has(breaks); attempt += 1) {
        const { violations } = await play(stage, seed + attempt, fault, QUIET_MS);
        for (const { invariant } of violations) named.add(invariant);
      }
      return named;
    } finally {
      for (const instance of stage.instances) if (instance.alive) await instance.mutate(name, false);
    }
  },
});

/** Wrong while one account fills the queue of hashes: the workspace that logs in meanwhile is refused. */
const unfair: Control = {
  name: 'passwords are hashed in the order in which they come',
  breaks: 'I13',
  async run(stage, seed) {
    const named = new Set<Invariant>();
    const [crowding] = CROWDING_FAULTS;
    if (!crowding) return named;
    const fault: Fault = {
      ...crowding,
      at: 0,
      async strike(scene) {
        for (const instance of stage.instances) await instance.mutate('passwords are hashed in order', true);
        await crowding.strike(scene);
      },
    };
    try {
      const { violations } = await play(stage, seed, fault, QUIET_MS);
      for (const { invariant } of violations) named.add(invariant);
      return named;
    } finally {
      for (const instance of stage.instances) await instance.mutate('passwords are hashed in order', false);
    }
  },
};

/** Acknowledged before it is written. What a kill loses is chance, too. */
const forgetful = (name: string, embedded: boolean): Control => ({
  name,
  breaks: 'I1',
  async run(_stage, seed) {
    const settings = { synchronous_commit: 'off', wal_writer_delay: '1s' };
    const stage = await Stage.open('forgetful', { instances: 1, settings, embedded });
    const named = new Set<Invariant>();
    const fault: Fault = {
      number: 'F0',
      name,
      async strike({ crowd }) {
        await crowd.reaches(0.7);
        stage.database.kill();
        await (embedded ? stage.database.isStartedAgain() : stage.database.restart());
      },
    };
    try {
      for (let attempt = 0; attempt < ATTEMPTS && !named.has('I1'); attempt += 1) {
        const { violations } = await play(stage, seed + attempt, fault, QUIET_MS);
        for (const { invariant } of violations) named.add(invariant);
      }
    } finally {
      await stage.close();
    }
    return named;
  },
});

const PUT_BACK = 'a log that was put back is taken for the same';

export const CONTROLS: readonly Control[] = [
  mutant('nobody reads the log', 'I4'),
  mutant('client_message_id is ignored', 'I2'),
  mutant('notes are told to visitors', 'I6'),
  mutant('events are told before their commit', 'I5'),
  mutant('a ticket can be spent again', 'I7'),
  mutant('a key is looked up once and remembered', 'I8'),
  unfair,
  mutant('what Redis sends is believed', 'I11', WRONG_DATA),
  mutant('nobody hears of an event before the horizon has passed it', 'I4', {
    needs: ({ bus }) => (bus ? 'with a bus nobody waits for the log' : null),
    strike: HELD_TRANSACTION.strike,
  }),
  mutant(PUT_BACK, 'I4', { strike: scene => strikeRestore(scene, 'running', PUT_BACK) }),
  forgetful('synchronous_commit is off and PostgreSQL is killed', false),
  forgetful('synchronous_commit is off and the embedded PostgreSQL is killed', true),
];
