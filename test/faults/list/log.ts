import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Fault, Scene } from '../fault.js';
import { now } from '../history.js';
import { readDatabase } from '../reading.js';
import { playRestore } from '../restore.js';

/** A forgotten write transaction. A control runs it against a tail that waits for it. */
export const OPEN_TRANSACTION: Fault = {
  number: 'F22',
  name: 'a write transaction stays open in another database of the cluster',
  async inject({ stage, crowd, random, waitMs }) {
    const url = new URL(stage.database.directUrl);
    url.pathname = '/postgres';
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
      await delay(1_500 + random() * 1_500);
      const reading = await stage.database.with(other => readDatabase(other, crowd.workspaceIds));
      const end = now() + waitMs;
      while (!crowd.hasReceived(reading) && now() < end) await delay(100);
      if (!crowd.hasReceived(reading))
        crowd.recordOverdue('not every client received all committed events while a transaction was open');
    } finally {
      await client.end();
    }
  },
};

const restored = (how: 'running' | 'stopped', name: string): Fault => ({
  number: 'F21',
  name,
  inject: scene => injectRestore(scene, how),
});

/** @param mutant deliberate defect of the service */
export async function injectRestore(
  { stage, crowd, random, waitMs }: Scene,
  how: 'running' | 'stopped',
  mutant?: string,
): Promise<void> {
  for (const problem of await playRestore(how, stage.bus !== null, random, waitMs, mutant))
    crowd.recordOverdue(problem);
}

/** A log that is delayed, and one that is restored to an earlier state. */
export const LOG_FAULTS: readonly Fault[] = [
  OPEN_TRANSACTION,
  restored('running', 'a data directory is restored from a snapshot under the running service'),
  restored('stopped', 'a data directory is restored from a snapshot before the service starts'),
];
