import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { ALL_PATIENCE_MS } from '../client.js';
import { openDesk } from '../desk.js';
import type { Fault, Scene } from '../fault.js';
import { pick } from '../fault.js';

/** Longer than a lock may be waited for, and than a statement may take. */
const HELD_MS = 4_000;
/** What is asked of a healthy service on a busy machine; without the mend it was not answered while the lock was held. */
const ANSWERED_MS = 1_400;
const ERASED_MESSAGES = 5_000;

const BACKENDS = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = 'faults' AND usename IS NOT NULL`;
const SILENT = `SELECT 1 FROM pg_stat_activity WHERE datname = 'faults' AND state = 'idle in transaction'
  AND xact_start < clock_timestamp() - interval '1 second'`;

/** Rows and tables that stay locked, and what is left in the server of somebody who has gone. */
export const LOCK_FAULTS: readonly Fault[] = [
  {
    number: 'F18',
    name: 'the row of one conversation is locked by a stranger',
    async strike(scene) {
      const desk = pick(scene.random, scene.crowd.desks);
      const [locked] = desk.visitors;
      await scene.stage.database.with(async client => {
        await client.query('BEGIN');
        await client.query('UPDATE conversation SET version = version WHERE id = $1', [locked?.conversationId]);
        await otherSendsAreAnswered(scene, locked?.conversationId ?? '', HELD_MS);
        await client.query('COMMIT');
      });
    },
  },
  {
    number: 'F18',
    name: 'a contact with thousands of messages is erased',
    async strike(scene) {
      const { stage, crowd, random } = scene;
      const { url } = pick(random, stage.instances);
      const desk = await openDesk(crowd.http, url);
      const [visitor] = desk.visitors;
      if (!visitor) throw new Error('a desk without visitors');
      await stage.database.with(client => fill(client, visitor.conversationId));
      const ask = { method: 'DELETE', path: `/v1/contacts/${visitor.contactId}`, token: desk.owner.token };
      const erasing = crowd.http.ask(url, ask, ALL_PATIENCE_MS);
      await otherSendsAreAnswered(scene, visitor.conversationId, HELD_MS);
      const { status, text } = await erasing;
      if (status !== 200) throw new Error(`the erasure was answered ${status}: ${text}`);
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
    name: 'an instance falls silent in the middle of a transaction',
    async strike(scene) {
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
    name: 'statements are given up, again and again, while a table is locked',
    async strike({ stage }) {
      await stage.database.with(async client => {
        await client.query('BEGIN');
        await client.query('LOCK TABLE message IN SHARE MODE');
        let most = 0;
        for (const end = performance.now() + HELD_MS; performance.now() < end; await delay(100)) {
          const { rows } = await client.query<{ count: number }>(BACKENDS);
          most = Math.max(most, rows[0]?.count ?? 0);
        }
        await client.query('COMMIT');
        const pools = stage.instances.length * POOL;
        if (most > pools + SPARE) throw new Error(`${most} backends where the pools have ${pools} connections`);
      });
    },
  },
  {
    number: 'F25',
    name: 'an instance is told to stop while PostgreSQL answers nothing',
    async strike({ stage, random }) {
      const victim = pick(random, stage.instances);
      stage.database.proxy.swallow();
      await delay(300);
      const asked = performance.now();
      await victim.stop();
      const took = performance.now() - asked;
      await stage.database.proxy.heal();
      await victim.start();
      if (took > STOP_MS) throw new Error(`the stop took ${Math.round(took)} ms`);
    },
  },
];

/** Of each instance on a stage. */
const POOL = 8;
/** Sessions of the test, and those that are being cancelled at this moment. */
const SPARE = 8;
const STOP_MS = 12_000;

/** Sends into every conversation but one, time and again. @throws Error when one of them is not answered in time */
async function otherSendsAreAnswered({ stage, crowd, random }: Scene, except: string, ms: number): Promise<void> {
  const talks = crowd.desks.flatMap(desk => desk.visitors.map(visitor => ({ desk, visitor })));
  const others = talks.filter(({ visitor }) => visitor.conversationId !== except);
  let asked = 0;
  let late = 0;
  for (const end = performance.now() + ms; performance.now() < end; await delay(100)) {
    const { desk, visitor } = pick(random, others);
    const began = performance.now();
    const { outcome } = await crowd.sendOnce(desk, visitor, pick(random, stage.instances));
    asked += 1;
    if (outcome === 'unknown' || performance.now() - began > ANSWERED_MS) late += 1;
  }
  // one may have met something else that the seed breaks, or a busy machine
  if (late > Math.max(1, asked / 4)) throw new Error(`${late} of ${asked} sends into other conversations were delayed`);
}

async function until(
  { stage }: Scene,
  ms: number,
  complaint: string,
  holds: (client: Client) => Promise<boolean>,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await stage.database.with(holds))) {
    if (performance.now() > end) throw new Error(complaint);
    await delay(200);
  }
}

/** As if the contact had written all day. */
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
