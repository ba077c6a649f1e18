import type { Invariant } from './checker.js';
import type { Fault } from './fault.js';
import { FAULTS } from './faults.js';
import { CROWDED_LOGINS } from './list/crowding.js';
import { ASSIGNMENT_FAULTS } from './list/assignment.js';
import { WRONG_DATA } from './list/bus.js';
import { OPEN_TRANSACTION, injectRestore } from './list/log.js';
import { FILE_FAULTS } from './list/files.js';
import { MAIL_FAULTS } from './list/mails.js';
import { SERVER_FAULTS } from './list/servers.js';
import { unsendIndexed } from './list/search.js';
import { DAY, TIMER_FAULTS } from './list/timers.js';
import { play } from './play.js';
import { Stage } from './stage.js';

/**
 * A service or PostgreSQL with a deliberate defect, which the checker must report. Proves that the checker can fail.
 */
export interface Control {
  name: string;
  /** Invariant that the checker must report; `fault`: the fault's own assertion must fail. */
  breaks: Breach;
  /** Reason why the control cannot run on that stage; null if it can. */
  needs?: (stage: Stage) => string | null;
  /** @returns every invariant the checker reported, over all attempts */
  run(stage: Stage, seed: number): Promise<Set<Breach>>;
}

type Breach = Invariant | 'fault';

/** Short: the missing frames never arrive. */
const QUIET_MS = 2_500;
/** A defect may not show at once: chance decides whom it affects. */
const ATTEMPTS = 4;

/**
 * The defect is active from the first request until the check.
 * @param meets fault that exposes the defect, with its dedicated stage if it has one; without a fault there is normal
 *   traffic only
 */
const mutant = (
  name: string,
  breaks: Invariant,
  meets: Partial<Pick<Fault, 'needs' | 'inject' | 'stage'>> = {},
): Control => ({
  name,
  breaks,
  ...(meets.needs && { needs: meets.needs }),
  async run(shared, seed) {
    const dedicated = meets.stage ? await Stage.open('defective', meets.stage) : null;
    const stage = dedicated ?? shared;
    const fault: Fault = {
      number: 'F0',
      name,
      at: 0,
      async inject(scene) {
        for (const instance of stage.instances) await instance.mutate(name, true);
        await (meets.inject ? meets.inject(scene) : scene.crowd.untilProgress(1.2));
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
      for (const instance of stage.instances) await instance.mutate(name, false);
      await dedicated?.close();
    }
  },
});

/** Acknowledges before writing. Chance decides what a kill loses. */
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
      async inject({ crowd }) {
        await crowd.untilProgress(0.7);
        stage.database.kill();
        await (embedded ? stage.database.untilRestartedByService() : stage.database.restart());
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

/** The fault asserts something itself, which the defect must break. Runs on the fault's dedicated stage, if it has one. */
const failing = (name: string, number: Fault['number']): Control => ({
  name,
  breaks: 'fault',
  async run(shared, seed) {
    const fault = FAULTS.find(candidate => candidate.number === number);
    if (!fault) throw new Error(`there is no fault ${number}`);
    const stage = await Stage.open('defective', fault.stage ?? { bus: shared.bus !== null });
    const inject: Fault['inject'] = async scene => {
      for (const instance of stage.instances) await instance.mutate(name, true);
      await fault.inject(scene);
    };
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const error = await play(stage, seed + attempt, { ...fault, inject }, QUIET_MS).then(
          () => null,
          (thrown: unknown) => thrown,
        );
        if (error !== null) return new Set<Breach>(['fault']);
      }
      return new Set<Breach>();
    } finally {
      await stage.close();
    }
  },
});

const PUT_BACK = 'a restored log is taken for the old one';

export const CONTROLS: readonly Control[] = [
  mutant('nobody reads the event log', 'I4'),
  mutant('client_message_id is ignored', 'I2'),
  mutant('private notes are sent to visitors', 'I6'),
  mutant('events are delivered before their commit', 'I5'),
  mutant('a ticket can be spent twice', 'I7'),
  mutant('API keys are cached forever', 'I8'),
  mutant('passwords are hashed in order', 'I13', CROWDED_LOGINS),
  mutant('messages from Redis are trusted', 'I11', WRONG_DATA),
  mutant('events wait for the watermark', 'I4', {
    needs: ({ bus }) => (bus ? 'with a bus, no client waits for the log' : null),
    inject: OPEN_TRANSACTION.inject,
  }),
  mutant(PUT_BACK, 'I4', { inject: scene => injectRestore(scene, 'running', PUT_BACK) }),
  mutant('timers are forgotten before they act', 'I16', TIMER_FAULTS[0]),
  mutant('a snooze is not looked at again under its lock', 'I14', DAY),
  mutant('the engine ignores capacities', 'I15', ASSIGNMENT_FAULTS[1]),
  mutant('loads are counted after the commit', 'I16', ASSIGNMENT_FAULTS[0]),
  mutant('nobody assigns what waits', 'I17', ASSIGNMENT_FAULTS[1]),
  mutant('mails end before they are sent', 'I18', MAIL_FAULTS[0]),
  mutant('what is unsent stays in the search index', 'I19', { inject: unsendIndexed }),
  mutant('failed uploads are forgotten', 'I21', FILE_FAULTS[0]),
  mutant('deliveries end before they are sent', 'I22', SERVER_FAULTS[0]),
  mutant('deliveries do not wait for each other', 'I22', SERVER_FAULTS[4]),
  mutant('turns end before they are answered', 'I23', SERVER_FAULTS[1]),
  failing('locked rows are waited for', 'F18'),
  failing('transactions have no limits', 'F19'),
  failing('abandoned statements are not cancelled', 'F20'),
  failing('the embedded PostgreSQL is not restarted', 'F23'),
  failing('a silent database is waited for', 'F25'),
  forgetful('synchronous_commit is off and PostgreSQL is killed', false),
  forgetful('synchronous_commit is off and the embedded PostgreSQL is killed', true),
];
