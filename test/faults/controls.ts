import type { Invariant } from './checker.js';
import type { Fault } from './fault.js';
import { play } from './play.js';
import { Stage } from './stage.js';

/** A service, or a PostgreSQL, that is wrong on purpose: the checker must say so, or its silence is worth nothing. */
export interface Control {
  name: string;
  /** What it must name. */
  breaks: Invariant;
  /** @returns what it named, over all tries */
  run(stage: Stage, seed: number): Promise<Set<Invariant>>;
}

/** Nobody waits long for what will not come. */
const QUIET_MS = 2_500;
/** What is wrong has to be met, and whom the third call of three finds is chance. */
const ATTEMPTS = 4;

/** The mutant is wrong from the first word until all has been looked at. */
const mutant = (name: string, breaks: Invariant): Control => ({
  name,
  breaks,
  async run(stage, seed) {
    const fault: Fault = {
      number: 'F0',
      name,
      at: 0,
      async strike({ crowd }) {
        for (const instance of stage.instances) await instance.mutate(name, true);
        await crowd.reaches(1.2);
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

/** Acknowledged before it is written. What a kill loses is chance, too. */
const forgetful: Control = {
  name: 'synchronous_commit is off and PostgreSQL is killed',
  breaks: 'I1',
  async run(_stage, seed) {
    const settings = { synchronous_commit: 'off', wal_writer_delay: '1s' };
    const stage = await Stage.open('forgetful', { instances: 1, settings });
    const named = new Set<Invariant>();
    const fault: Fault = {
      number: 'F0',
      name: this.name,
      async strike({ crowd }) {
        await crowd.reaches(0.7);
        stage.database.kill();
        await stage.database.restart();
      },
    };
    try {
      for (let attempt = 0; attempt < ATTEMPTS && !named.has(this.breaks); attempt += 1) {
        const { violations } = await play(stage, seed + attempt, fault, QUIET_MS);
        for (const { invariant } of violations) named.add(invariant);
      }
    } finally {
      await stage.close();
    }
    return named;
  },
};

export const CONTROLS: readonly Control[] = [
  mutant('nobody reads the log', 'I4'),
  mutant('client_message_id is ignored', 'I2'),
  mutant('notes are told to visitors', 'I6'),
  mutant('events are told before their commit', 'I5'),
  mutant('a ticket can be spent again', 'I7'),
  mutant('a key is looked up once and remembered', 'I8'),
  forgetful,
];
