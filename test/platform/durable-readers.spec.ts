import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { newId } from '../../src/kernel/ids.js';
import { Sql, statement } from '../../src/platform/database/sql.js';
import { safeUpperBound } from '../../src/platform/events/safe-upper-bound.js';
import { EventConsumer, ConsumerDependencies } from '../../src/platform/events/event-consumer.js';
import { EventTail } from '../../src/platform/events/event-tail.js';
import { EventRetentionJob } from '../../src/platform/events/event-retention.job.js';
import type { LoggedEvent } from '../../src/platform/events/reading-position.repository.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { OpenTransactions } from '../support/open-transactions.js';
import { ownDatabase } from '../support/own-database.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const NOTE = statement(`INSERT INTO collected (id, position, conversation_id) VALUES ($1, $2, $3)`);
const SLOW_MS = 60_000;

/** Writes down what it reads, in the order in which it reads it. */
class Collector extends EventConsumer {
  protected readonly name = 'collector';
  protected readonly types = ['message.created'] as const;
  /** Called after the effect, within its unit of work. */
  meanwhile: () => Promise<void> = () => Promise.resolve();

  constructor(
    reading: ConsumerDependencies,
    private readonly sql: Sql,
  ) {
    super(reading);
  }

  protected async take(events: readonly LoggedEvent[]): Promise<void> {
    for (const { id, position, conversationId } of events) await this.sql.count(NOTE, [id, position, conversationId]);
    await this.meanwhile();
  }
}

describe('a range of transactions is closed', () => {
  const overtaking = (earlier: number, later: number) => ({ earlier: BigInt(earlier), later: BigInt(later) });

  it('at its bound, where nobody has overtaken anybody', () => {
    expect(safeUpperBound(105n, [])).toBe(105n);
  });

  it('at its bound, where both that overtook each other lie within it', () => {
    expect(safeUpperBound(106n, [overtaking(105, 100)])).toBe(106n);
  });

  it('before what was said second, where what was said first lies behind the bound', () => {
    expect(safeUpperBound(103n, [overtaking(105, 100)])).toBe(100n);
  });

  it('also before what that parts in turn', () => {
    expect(safeUpperBound(103n, [overtaking(105, 100), overtaking(101, 95), overtaking(97, 90)])).toBe(90n);
  });
});

describe('a durable reader', () => {
  let database: TestDatabase;
  let world: World;
  let other: World;
  let desk: Desk;
  const transactions = new OpenTransactions(() => database.url);
  beforeAll(async () => {
    database = await ownDatabase();
    world = await World.start({}, { database });
    other = await World.start({}, { database });
    await database.query(
      `CREATE TABLE collected (n bigint GENERATED ALWAYS AS IDENTITY, id uuid PRIMARY KEY, position bigint, conversation_id uuid)`,
    );
  });
  afterAll(async () => {
    await other.stop();
    await world.stop();
    await database.drop();
  });
  beforeEach(async () => {
    desk = await world.desk();
    await newCollector().catchUp();
  });
  afterEach(async () => {
    await transactions.endAll();
  });

  const newCollector = (of = world) => new Collector(of.app.app.get(ConsumerDependencies), of.app.app.get(Sql));
  const conversation = async () => (await world.conversation(await world.visitor(desk))).id as string;

  /** As a service records it: under the conversation's lock. */
  async function say(client: Client, conversationId: string, times = 1): Promise<string[]> {
    await client.query('SELECT 1 FROM conversation WHERE id = $1 FOR NO KEY UPDATE', [conversationId]);
    const ids = Array.from({ length: times }, () => newId());
    await client.query(
      `INSERT INTO event (id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version)
       SELECT new.id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version
       FROM unnest($1::uuid[]) WITH ORDINALITY AS new (id, place)
       CROSS JOIN (SELECT * FROM event WHERE conversation_id = $2 AND type = 'message.created' LIMIT 1) AS first
       ORDER BY new.place`,
      [ids, conversationId],
    );
    return ids;
  }

  const collected = async () =>
    (await database.query<{ id: string }>('SELECT id FROM collected ORDER BY n')).map(({ id }) => id);
  const collectedOf = async (ids: readonly string[]) => (await collected()).filter(id => ids.includes(id));

  /** What is committed and what was read, which must be the same: each once, in order per conversation. */
  async function assertWhole(): Promise<void> {
    const rows = await database.query<{ n: string | null; count: string }>(
      `SELECT event.id, collected.n FROM event LEFT JOIN collected USING (id)
       WHERE event.type = 'message.created' AND collected.n IS NULL`,
    );
    expect(rows).toEqual([]);
    const turned = await database.query(
      `SELECT id FROM (SELECT id, position, max(position) OVER (PARTITION BY conversation_id ORDER BY n) AS highest
       FROM collected) AS reading WHERE position < highest`,
    );
    expect(turned).toEqual([]);
  }

  it('reads each event of its types once, in order', async () => {
    const place = await conversation();
    const writer = await transactions.begin();
    const ids = await say(writer, place, 250);
    await transactions.end(writer);
    const reader = newCollector();
    await reader.catchUp();
    await reader.catchUp();
    expect(await collectedOf(ids)).toEqual(ids);
    await assertWhole();
  });

  it('an event waits until no transaction is open that could come before it', async () => {
    const place = await conversation();
    const early = await transactions.begin();
    const late = await transactions.begin();
    const [second] = await say(late, place);
    await transactions.end(late);
    await newCollector().catchUp();
    expect(await collectedOf([second ?? ''])).toEqual([]);
    const [third] = await say(early, place);
    await transactions.end(early);
    await newCollector().catchUp();
    expect(await collectedOf([second ?? '', third ?? ''])).toEqual([second, third]);
  });

  it('what was said second is never read first, although its transaction has the lower number and a third one parts them', async () => {
    const place = await conversation();
    const waiting = await transactions.begin();
    const bystander = await transactions.begin();
    const holding = await transactions.begin();
    const [first] = await say(holding, place);
    await transactions.end(holding);
    const [second] = await say(waiting, place);
    await transactions.end(waiting);
    await newCollector().catchUp();
    const between = await collectedOf([first ?? '', second ?? '']);
    await transactions.end(bystander);
    await newCollector().catchUp();
    expect(between).toEqual([]);
    expect(await collectedOf([first ?? '', second ?? ''])).toEqual([first, second]);
  });

  it('a range grows until it holds both of two that are thousands of events apart', async () => {
    const [place, elsewhere] = [await conversation(), await conversation()];
    const waiting = await transactions.begin();
    const writer = await transactions.begin();
    await say(writer, elsewhere, 3_000);
    const [first] = await say(writer, place);
    await transactions.end(writer);
    const [second] = await say(waiting, place);
    await transactions.end(waiting);
    await newCollector().catchUp();
    expect(await collectedOf([first ?? '', second ?? ''])).toEqual([first, second]);
    await assertWhole();
  });

  it('whatever breaks in the middle of a unit leaves neither its effect nor its position', async () => {
    const place = await conversation();
    const writer = await transactions.begin();
    const ids = await say(writer, place, 30);
    await transactions.end(writer);
    const reader = newCollector();
    reader.meanwhile = () => Promise.reject(new Error('broken on purpose'));
    await expect(reader.catchUp()).rejects.toThrow('broken on purpose');
    expect(await collectedOf(ids)).toEqual([]);
    await newCollector().catchUp();
    expect(await collectedOf(ids)).toEqual(ids);
  });

  it('one instance reads while the others do something else', async () => {
    const place = await conversation();
    const writer = await transactions.begin();
    const ids = await say(writer, place, 5);
    await transactions.end(writer);
    const [first, second] = [newCollector(), newCollector(other)];
    let secondIsDone = false;
    first.meanwhile = async () => {
      await second.catchUp();
      secondIsDone = true;
    };
    await first.catchUp();
    expect(secondIsDone).toBe(true);
    expect(await collectedOf(ids)).toEqual(ids);
  });

  it.each([1, 2, 3])(
    'races of writers and of readers on two instances lose nothing, repeat nothing and turn nothing round (seed %i)',
    async seed => {
      const random = seeded(seed);
      const places = await Promise.all([1, 2, 3].map(conversation));
      const readers = [newCollector(), newCollector(other), newCollector()];
      let writing = true;
      const write = async () => {
        for (let round = 0; round < 12; round += 1) {
          const client = await transactions.begin();
          await waitUpTo(random, 12);
          // in one order, so that no two wait for each other
          const mine = places.filter(() => random() < 0.5);
          for (const place of mine) {
            await say(client, place, 1 + Math.floor(random() * 3));
            await waitUpTo(random, 6);
          }
          await transactions.end(client, random() < 0.2 ? 'ROLLBACK' : 'COMMIT');
        }
      };
      const read = async (reader: Collector) => {
        reader.meanwhile = async () => {
          await waitUpTo(random, 5);
          if (random() < 0.2) throw new Error('broken on purpose');
        };
        while (writing) {
          await reader.catchUp().catch((error: unknown) => expect(String(error)).toContain('on purpose'));
          await waitUpTo(random, 10);
        }
      };
      const reading = readers.map(read);
      await Promise.all(Array.from({ length: 6 }, write));
      writing = false;
      await Promise.all(reading);
      await newCollector().catchUp();
      await assertWhole();
    },
    SLOW_MS,
  );

  it('what a durable reader has not read is not pruned, however old it is', async () => {
    const place = await conversation();
    await newCollector().catchUp();
    const writer = await transactions.begin();
    const ids = await say(writer, place, 3);
    await transactions.end(writer);
    await database.query(`UPDATE event SET recorded_at = now() - interval '30 days'`);
    await world.app.app.get(EventRetentionJob).run();
    const kept = async () =>
      (await database.query<{ id: string }>('SELECT id FROM event WHERE id = ANY($1)', [ids])).length;
    expect(await kept()).toBe(3);
    await newCollector().catchUp();
    await eventually(async () => {
      await world.app.app.get(EventRetentionJob).run();
      return (await kept()) === 0 || undefined;
    });
  });

  describe('when the log was brought from another cluster', () => {
    /** What a restored dump looks like: the numbers in it are another cluster's, higher and lower than ours. */
    async function bring(): Promise<void> {
      await database.query(`UPDATE event SET xid = (xid::text::bigint * 1000)::text::xid8`);
      await database.query(`UPDATE event_reader SET since = (since::text::bigint * 1000)::text::xid8,
        horizon = (horizon::text::bigint * 1000)::text::xid8`);
      await database.query(
        `UPDATE event_log SET id = gen_random_uuid(), home = 'another cluster', pruned_xid = '9000000000'`,
      );
    }

    it('readers go on where they were: nothing is lost, nothing is read twice', async () => {
      const place = await conversation();
      // one reader amid a range, of which it has read some
      const writer = await transactions.begin();
      await say(writer, place, 150);
      await transactions.end(writer);
      const reader = newCollector();
      let pages = 0;
      reader.meanwhile = () => ((pages += 1) > 1 ? Promise.reject(new Error('on purpose')) : Promise.resolve());
      await expect(reader.catchUp()).rejects.toThrow();
      await bring();
      await world.app.app.get(EventTail).catchUp();
      const after = await transactions.begin();
      const late = await say(after, place, 5);
      await transactions.end(after);
      await newCollector().catchUp();
      expect(await collectedOf(late)).toEqual(late);
      await assertWhole();
    });

    it('open sockets are told to read the present state, and nothing old is told again', async () => {
      const place = await conversation();
      const inbox = await world.agentSocket(desk.owner);
      const before = inbox.frames[0]?.data.cursor as string;
      await bring();
      expect((await inbox.next('sync.required')).data).toEqual({ reason: 'epoch' });
      await desk.owner.api.post(`/v1/conversations/${place}/messages`, { content: 'After the move.' });
      const { cursor } = await inbox.next('message.created', ({ data }) => data.message.content === 'After the move.');
      expect(inbox.of('message.created')).toHaveLength(1);
      const again = await world.agentSocket(desk.owner, { after: before });
      expect((await again.next('sync.required')).data).toEqual({ reason: 'epoch' });
      const whole = await world.agentSocket(desk.owner, { after: cursor ?? '' });
      await whole.next('resumed');
      const page = await desk.owner.api.get('/v1/events?after=' + cursor);
      expect(page.status).toBe(200);
    });
  });

  it('a transaction that keeps the log from settling is measured, and named after five seconds', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn');
    const age = async () => {
      const text = await (await fetch(`${world.app.url}/metrics`)).text();
      return Number(/^event_log_xmin_age_seconds (.+)$/m.exec(text)?.[1]);
    };
    const held = await transactions.begin();
    // somebody else writes, and waits for it
    await conversation();
    const [row] = (await held.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    await eventually(async () => ((await age()) > 5 ? true : undefined), 20_000);
    const said = await eventually(() => warned.mock.calls.find(([text]) => String(text).includes('held back')));
    expect(said?.[0]).toContain(`process ${row?.pid} of PostgreSQL`);
    const readiness = async () => (await (await fetch(`${world.app.url}/readyz`)).json()) as object;
    expect(await readiness()).toMatchObject({ status: 'ready', event_log: 'held' });
    await transactions.end(held);
    await eventually(async () => ((await age()) < 1 ? true : undefined));
    expect(await readiness()).toMatchObject({ status: 'ready', event_log: 'ok' });
    warned.mockRestore();
  }, 30_000);

  it('the lag of a reader is the age of the oldest event that it has not read, also while a transaction holds it back', async () => {
    const lag = async () => {
      const text = await (await fetch(`${world.app.url}/metrics`)).text();
      return Number(/^event_reader_lag_seconds\{reader="audit"\} (.+)$/m.exec(text)?.[1]);
    };
    const readAll = async () => {
      const behind = `SELECT 1 FROM event JOIN event_reader ON name = 'audit' AND event.xid >= since LIMIT 1`;
      return (await database.query(behind)).length === 0 || undefined;
    };
    await eventually(readAll, 20_000);
    await eventually(async () => (await lag()) === 0 || undefined);
    const held = await transactions.begin();
    await conversation();
    await eventually(async () => (await lag()) > 2 || undefined, 20_000);
    await transactions.end(held);
    await eventually(async () => (await lag()) < 1 || undefined, 20_000);
  }, 60_000);

  it('a reader whose row a restore has removed begins with the log', async () => {
    const place = await conversation();
    const reader = newCollector();
    await reader.catchUp();
    const before = await collected();
    await database.query(`DELETE FROM event_reader WHERE name = 'collector'`);
    await database.query('DELETE FROM collected');
    await reader.catchUp();
    await reader.catchUp();
    const writer = await transactions.begin();
    const [id] = await say(writer, place);
    await transactions.end(writer);
    await reader.catchUp();
    expect((await collected()).slice(-1)).toEqual([id]);
    expect(await collected()).toEqual(expect.arrayContaining(before.slice(-1)));
  });
});
