import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { ALL_PATIENCE_MS } from '../client.js';
import type { Crowd } from '../crowd.js';
import { openDesk } from '../desk.js';
import type { Fault, Scene } from '../fault.js';
import { endSilence, pick } from '../fault.js';
import type { Stage } from '../stage.js';

/** Longer than the lock timeout and the query timeout. */
const LOCKED_MS = 4_000;
/** Time limit of a send on a busy machine. Without the fix, sends waited until the lock was released. */
const ANSWERED_MS = 1_400;
/** Several times as long as a statement may take, so that abandoned ones add up. */
const ABANDONED_MS = 7_000;
const ERASED_MESSAGES = 5_000;

const BACKENDS = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = 'faults' AND usename IS NOT NULL`;
const SILENT = `SELECT 1 FROM pg_stat_activity WHERE datname = 'faults' AND state = 'idle in transaction'
  AND xact_start < clock_timestamp() - interval '1 second'`;

/** Locked rows and tables, and leftovers of a vanished client in the server. */
export const LOCK_FAULTS: readonly Fault[] = [
  {
    number: 'F18',
    name: 'another transaction locks the row of a conversation',
    async inject(scene) {
      const desk = pick(scene.random, scene.crowd.desks);
      const locked = pick(scene.random, desk.visitors);
      await scene.stage.database.with(async client => {
        await client.query('BEGIN');
        await client.query('UPDATE conversation SET version = version WHERE id = $1', [locked.conversationId]);
        const end = performance.now() + LOCKED_MS;
        const waiting = scene.stage.instances.map(instance =>
          repeatUntil(end, () => scene.crowd.sendOnce(desk, locked, instance)),
        );
        await assertOtherSendsAnswered(scene, locked.conversationId, LOCKED_MS);
        await client.query('COMMIT');
        await Promise.all(waiting);
      });
    },
  },
  {
    number: 'F18',
    name: 'a contact with thousands of messages is erased',
    async inject(scene) {
      const { stage, crowd, random } = scene;
      const { url } = pick(random, stage.instances);
      const desk = await openDesk(crowd.http, url);
      const [visitor] = desk.visitors;
      if (!visitor) throw new Error('the desk has no visitors');
      await stage.database.with(client => fill(client, visitor.conversationId));
      const spec = { method: 'DELETE', path: `/v1/contacts/${visitor.contactId}`, token: desk.owner.token };
      const erasing = crowd.http.send(url, spec, ALL_PATIENCE_MS);
      await assertOtherSendsAnswered(scene, visitor.conversationId, LOCKED_MS);
      const { status, text } = await erasing;
      if (status !== 200) throw new Error(`the erasure got ${status}: ${text}`);
      await until(scene, 60_000, 'the erased content is still stored', async client => {
        const left = await client.query(`SELECT 1 FROM message WHERE conversation_id = $1 AND content IS NOT NULL`, [
          visitor.conversationId,
        ]);
        return left.rows.length === 0 && (await client.query('SELECT 1 FROM erasure')).rows.length === 0;
      });
    },
  },
  {
    number: 'F19',
    name: 'an instance falls silent inside a transaction',
    async inject(scene) {
      const victim = pick(scene.random, scene.stage.instances);
      await victim.arm({ point: 'commit', action: 'hold', ms: 60_000, times: 3 });
      await delay(500);
      victim.signal('SIGSTOP');
      await delay(1_000);
      await until(scene, 15_000, 'the transaction of a silent instance is still open', async client => {
        return (await client.query(SILENT)).rows.length === 0;
      });
      await victim.kill();
    },
  },
  {
    number: 'F20',
    name: 'statements time out repeatedly while a table is locked',
    async inject({ stage, crowd }) {
      const end = performance.now() + ABANDONED_MS;
      const max = await stage.database.with(async client => {
        await client.query('BEGIN');
        await client.query('LOCK TABLE message IN ACCESS EXCLUSIVE MODE');
        const requests = useRepeatedly(crowd, stage, end);
        const most = await stage.database.with(observer => countMaxBackends(observer, end));
        await client.query('COMMIT');
        await requests;
        return most;
      });
      const pools = stage.instances.length * POOL;
      if (max > pools + SPARE) throw new Error(`${max} backends for pools of ${pools} connections`);
    },
  },
  {
    number: 'F25',
    name: 'an instance is stopped while PostgreSQL never answers',
    // With the shorter limit of other stages every statement would end in time by itself.
    stage: { env: { DATABASE_QUERY_TIMEOUT_MS: '20000', DATABASE_LOCK_TIMEOUT_MS: '15000' } },
    async inject(scene) {
      const { stage, random } = scene;
      const victim = pick(random, stage.instances);
      stage.database.proxy.swallow();
      await delay(300);
      const stopping = victim.stop();
      const inTime = await Promise.race([stopping.then(() => true), delay(STOP_MS, false)]);
      if (!inTime) throw new Error(`the stop took more than ${STOP_MS} ms`);
      await endSilence(scene);
      await victim.start();
    },
  },
];

/** Pool size of each instance on a stage. */
const POOL = 8;
/** Sessions of the test, and those being cancelled at this moment. */
const SPARE = 8;
const STOP_MS = 12_000;

async function repeatUntil(end: number, work: () => Promise<unknown>): Promise<void> {
  while (performance.now() < end) await work();
}

/** Sends to every conversation and reads it, through every instance, until the time is over. */
async function useRepeatedly(crowd: Crowd, { instances }: Stage, end: number): Promise<void> {
  await Promise.all(
    crowd.desks.flatMap(desk =>
      desk.visitors.flatMap(visitor =>
        instances.flatMap(instance => {
          const path = `/v1/conversations/${visitor.conversationId}/messages`;
          const read = { method: 'GET', path, token: desk.owner.token };
          return [
            repeatUntil(end, () => crowd.sendOnce(desk, visitor, instance)),
            repeatUntil(end, () => crowd.http.send(instance.url, read).catch(() => null)),
          ];
        }),
      ),
    ),
  );
}

/**
 * Largest number of sessions in PostgreSQL until the time is over.
 * @param observer not in a transaction, in which pg_stat_activity stays as it was first read
 */
async function countMaxBackends(observer: Client, end: number): Promise<number> {
  let max = 0;
  for (; performance.now() < end; await delay(100)) {
    const { rows } = await observer.query<{ count: number }>(BACKENDS);
    max = Math.max(max, rows[0]?.count ?? 0);
  }
  return max;
}

/** Sends repeatedly to every conversation but one. @throws Error if too many responses are late */
async function assertOtherSendsAnswered({ stage, crowd, random }: Scene, except: string, ms: number): Promise<void> {
  const conversations = crowd.desks.flatMap(desk => desk.visitors.map(visitor => ({ desk, visitor })));
  const others = conversations.filter(({ visitor }) => visitor.conversationId !== except);
  let sends = 0;
  let late = 0;
  for (const end = performance.now() + ms; performance.now() < end; await delay(100)) {
    const { desk, visitor } = pick(random, others);
    const began = performance.now();
    const { outcome } = await crowd.sendOnce(desk, visitor, pick(random, stage.instances));
    sends += 1;
    if (outcome === 'unknown' || performance.now() - began > ANSWERED_MS) late += 1;
  }
  // A few may be delayed by the seed's traffic or a busy machine.
  if (late > Math.max(1, sends / 4)) throw new Error(`${late} of ${sends} sends to other conversations were delayed`);
}

async function until(
  { stage }: Scene,
  ms: number,
  complaint: string,
  isMet: (client: Client) => Promise<boolean>,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await stage.database.with(isMet))) {
    if (performance.now() > end) throw new Error(complaint);
    await delay(200);
  }
}

/** Inserts thousands of messages of the contact. */
async function fill(client: Client, conversationId: string): Promise<void> {
  await client.query(
    `WITH said AS (
       INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, content_type, content, private)
       SELECT workspace_id, gen_random_uuid(), id, last_seq + n, 'contact', contact_id, 'text', 'words', false
       FROM conversation, generate_series(1, $2::int) AS n WHERE id = $1
     )
     UPDATE conversation SET last_seq = last_seq + $2, last_public_seq = last_public_seq + $2 WHERE id = $1`,
    [conversationId, ERASED_MESSAGES],
  );
}
