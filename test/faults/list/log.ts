import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Fault, Scene } from '../fault.js';
import { now } from '../history.js';
import { readDatabase } from '../reading.js';
import { playRestore } from '../restore.js';

/** Far longer than a look at the log takes; an event that waits for the transaction does not come at all. */
const HEARD_MS = 30_000;

/** A transaction that has written, and that somebody forgot. The control plays it against a tail that waits for it. */
export const HELD_TRANSACTION: Fault = {
  number: 'F22',
  name: 'a write transaction is left open in another database of the cluster',
  async strike({ stage, crowd, random }) {
    const url = new URL(stage.database.directUrl);
    url.pathname = '/postgres';
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
      await delay(1_500 + random() * 1_500);
      const reading = await stage.database.with(other => readDatabase(other, crowd.workspaceIds));
      const end = now() + HEARD_MS;
      while (!crowd.hasHeard(reading) && now() < end) await delay(100);
      if (!crowd.hasHeard(reading))
        crowd.miss('while a transaction was left open, not everybody heard what was committed');
    } finally {
      await client.end();
    }
  },
};

const restored = (how: 'running' | 'stopped', name: string): Fault => ({
  number: 'F21',
  name,
  strike: scene => strikeRestore(scene, how),
});

/** @param mutant the way in which the service is wrong on purpose */
export async function strikeRestore(
  { stage, crowd, random }: Scene,
  how: 'running' | 'stopped',
  mutant?: string,
): Promise<void> {
  for (const what of await playRestore(how, stage.bus !== null, random, mutant)) crowd.miss(what);
}

/** A log that is held back, and one that goes back. */
export const LOG_FAULTS: readonly Fault[] = [
  HELD_TRANSACTION,
  restored('running', 'a data directory is put back from a snapshot under the running service'),
  restored('stopped', 'a data directory is put back from a snapshot before the service starts'),
];
