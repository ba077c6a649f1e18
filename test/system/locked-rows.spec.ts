import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import type { Principal } from '../../src/kernel/principal.js';
import { MessagesService } from '../../src/modules/messages/messages.service.js';
import type { Statement } from '../../src/platform/database/sql.service.js';
import { SqlService, statement } from '../../src/platform/database/sql.service.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { eventually } from '../support/eventually.js';
import { lockRowByUpdate, lockTable } from '../support/blocking-transaction.js';
import type { Answer } from '../support/http.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import type { Desk } from '../support/world.js';
import { unique, World } from '../support/world.js';

const LOCK_MS = 2_000;
const QUERY_MS = 5_000;
const POOL = 8;

let world: World;
let desk: Desk;
beforeAll(async () => {
  world = await World.start(
    {
      DATABASE_LOCK_TIMEOUT_MS: String(LOCK_MS),
      DATABASE_QUERY_TIMEOUT_MS: String(QUERY_MS),
      DATABASE_POOL_SIZE: String(POOL),
    },
    { alone: true },
  );
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
});

const lockConversation = (id: string) => lockRowByUpdate(world.app.database, 'conversation', id, 'version = version');
/** A conversation after its first response, which is not an ordinary message. */
async function openConversation(): Promise<string> {
  const { id } = await world.conversation(await world.visitor(desk), 'Hello?');
  await send(id as string);
  return id as string;
}
/** One after the other: the statements of a set-up at once could exceed their timeout on a slow machine. */
async function openConversations(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await openConversation());
  return ids;
}
const send = (id: string, more: object = {}, headers: Record<string, string> = {}) =>
  desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'Are you there?', ...more }, headers);
const outcome = ({ status, headers, error }: Answer<Json>) => [status, headers['retry-after'], error?.code];
const UNAVAILABLE = [503, '1', 'unavailable'];

/** Counts the service's connections: all of them, or only those waiting for a lock. */
async function backends(waiting: boolean): Promise<number> {
  const [row] = await world.app.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND ($1 = false OR wait_event_type = 'Lock')`,
    [waiting],
  );
  return row?.count ?? 0;
}

/** Maximum number of connections waiting at once while the work runs. */
async function countMaxWaiting<T>(work: () => Promise<T>): Promise<{ max: number; result: T }> {
  let max = 0;
  let over = false;
  const watching = (async () => {
    for (; !over; await new Promise(resolve => setTimeout(resolve, 20))) max = Math.max(max, await backends(true));
  })();
  const result = await work();
  over = true;
  await watching;
  return { max, result };
}

/** Requests that need the row of a conversation. */
const WAYS: Record<string, (id: string) => Promise<Answer<Json>>> = {
  'a plain message': id => send(id),
  'a message that requires a transaction': id => send(id, { expected_last_seq: 99 }),
  'a message with an Idempotency-Key': id => send(id, {}, { 'Idempotency-Key': unique('key') }),
  'a change of the conversation': id => desk.owner.api.patch(`/v1/conversations/${id}`, { subject: unique('subject') }),
};

describe('A conversation whose row another transaction has locked', () => {
  it.each(Object.entries(WAYS))(
    'A locked conversation does not delay sends to others; %s gets 503 with Retry-After: 1 and uses only part of the pool.',
    async (_name, want) => {
      const locked = await openConversation();
      const others = await openConversations(10);
      const lock = await lockConversation(locked);
      let refusals = 0;
      const { max, result } = await countMaxWaiting(async () => {
        const began = performance.now();
        const refused = race(20, () => want(locked).finally(() => (refusals += 1)));
        await lock.awaited();
        const answers = await Promise.all(others.map(id => send(id)));
        const refusalsBefore = refusals;
        const outcomes = (await refused).map(outcome);
        return { answers, outcomes, refusalsBefore, took: performance.now() - began };
      });
      await lock.commit();
      expect(result.answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
      expect(result.refusalsBefore).toBe(0);
      expect(result.outcomes).toEqual(Array(20).fill(UNAVAILABLE));
      expect(result.took).toBeLessThan(10 * LOCK_MS);
      expect(max).toBeLessThanOrEqual(POOL / 2);
      expect((await send(locked)).status).toBe(201);
    },
  );

  it('Control: a shared statement that waited for the locked row would delay every other conversation.', async () => {
    const sql = world.app.app.get(SqlService);
    const rows = sql.rows.bind(sql) as SqlService['rows'];
    const waits = jest.spyOn(sql, 'rows').mockImplementation(((
      statement: Statement,
      values: unknown[],
      timeout?: number,
    ) => {
      const text = statement.text.replaceAll('SKIP LOCKED', '');
      return rows(text === statement.text ? statement : { name: `${statement.name}_waits`, text }, values, timeout);
    }) as SqlService['rows']);
    const [locked, other] = [await openConversation(), await openConversation()];
    const lock = await lockConversation(locked);
    let answered = false;
    const stuck = send(locked);
    await lock.awaited();
    const beside = send(other).finally(() => (answered = true));
    await new Promise(resolve => setTimeout(resolve, LOCK_MS / 2));
    expect(answered).toBe(false);
    waits.mockRestore();
    await lock.commit();
    expect([(await stuck).status, (await beside).status]).toEqual([201, 201]);
  });

  it('Messages that waited for the lock are inserted by one statement, in order, once it is released.', async () => {
    const id = await openConversation();
    const { memberId, workspaceId } = desk.owner;
    const display = { name: 'Olivia Owner', avatarUrl: null };
    const agent = { kind: 'agent', workspaceId, memberId, ...display, scope: null } as unknown as Principal;
    const sendAsAgent = (content: string) => world.app.app.get(MessagesService).send(agent, id, { content });
    const lock = await lockConversation(id);
    const first = sendAsAgent('first');
    await lock.awaited();
    const later = race(5, index => sendAsAgent(`later ${index}`));
    await new Promise(resolve => setImmediate(resolve));
    await lock.commit();
    expect((await first).message.seq).toBe(3);
    expect((await later).map(({ message }) => message.seq)).toEqual([4, 5, 6, 7, 8]);
    const transactions = await world.app.database.query(
      `SELECT DISTINCT xid::text FROM event WHERE conversation_id = $1 AND payload #>> '{message,content}' LIKE 'later%'`,
      [id],
    );
    expect(transactions).toHaveLength(1);
  });

  it('A send that waited a second for the lock is answered 201 once it is released.', async () => {
    const id = await openConversation();
    const lock = await lockConversation(id);
    const sending = send(id);
    await lock.awaited();
    await new Promise(resolve => setTimeout(resolve, LOCK_MS / 4));
    await lock.commit();
    expect((await sending).status).toBe(201);
  });

  it('A locked contact delays only its own visitor.', async () => {
    const visitor = await world.visitor(desk);
    const { id } = await world.conversation(visitor);
    const other = await openConversation();
    const lock = await lockRowByUpdate(world.app.database, 'contact', visitor.contactId, 'updated_at = updated_at');
    const stuck = visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Hello?' });
    await lock.awaited();
    expect((await send(other)).status).toBe(201);
    expect(outcome(await stuck)).toEqual(UNAVAILABLE);
    await lock.commit();
  });
});

describe('Statement timeouts', () => {
  const SLOW = statement(`UPDATE conversation SET version = version WHERE id = $1`, { timeout: 500 });

  it('A statement that times out outside a transaction is also cancelled on the server, however often it is repeated.', async () => {
    const id = await openConversation();
    const lock = await lockConversation(id);
    const before = await backends(false);
    for (let round = 0; round < 4; round += 1) {
      const outcomes = await race(POOL, () => world.app.app.get(SqlService).count(SLOW, [id]).catch(String));
      expect(outcomes.every(text => /timeout|canceling/.test(String(text)))).toBe(true);
    }
    await eventually(async () => ((await backends(true)) === 0 ? true : undefined));
    expect(await backends(false)).toBeLessThanOrEqual(before + POOL);
    await lock.commit();
  });

  it('A statement that times out in a transaction is also cancelled on the server.', async () => {
    const units = world.app.app.get(UnitOfWork);
    const began = performance.now();
    const outcomes = await race(POOL, () => units.run(() => units.manager.query('SELECT pg_sleep(60)')).catch(String));
    expect(outcomes).toEqual(Array(POOL).fill(expect.stringMatching(/timeout/)));
    expect(performance.now() - began).toBeLessThan(3 * QUERY_MS);
    const sleeping = `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
    await eventually(async () => ((await world.app.database.query(sleeping)).length === 0 ? true : undefined));
  });

  it("Sends queued behind a statement that times out wait for at most one statement's time.", async () => {
    const ids = await race(6, openConversation);
    const lock = await lockTable(world.app.database, 'message');
    const first = send(ids[0] ?? '');
    await lock.awaited();
    const times = await race(5, async index => {
      const began = performance.now();
      const answer = await send(ids[index + 1] ?? '');
      return { answer: outcome(answer), within: performance.now() - began < 1.5 * QUERY_MS };
    });
    await lock.commit();
    expect(times).toEqual(Array(5).fill({ answer: UNAVAILABLE, within: true }));
    expect(outcome(await first)).toEqual(UNAVAILABLE);
  });

  it('Control: a statement that plain pg times out continues on the server.', async () => {
    const client = new Client({ connectionString: world.app.database.url, query_timeout: 200 });
    client.on('error', () => undefined);
    await client.connect();
    await expect(client.query(`SELECT pg_sleep(3), 'left alone'`)).rejects.toThrow('timeout');
    await client.end();
    const left = `SELECT FROM pg_stat_activity WHERE query LIKE '%left alone%' AND state = 'active' AND pid <> pg_backend_pid()`;
    expect(await world.app.database.query(left)).toHaveLength(1);
  });
});
