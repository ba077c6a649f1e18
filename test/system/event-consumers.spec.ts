import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import type { RecordedEvent } from '../../src/kernel/domain-event.js';
import { newId } from '../../src/kernel/ids.js';
import { SqlService, statement } from '../../src/platform/database/sql.service.js';
import { safeUpperBound } from '../../src/platform/events/safe-upper-bound.js';
import { EventConsumer, ConsumerDependencies } from '../../src/platform/events/event.consumer.js';
import { EventTailJob } from '../../src/platform/events/event-tail.job.js';
import { EventRetentionJob } from '../../src/platform/events/event-retention.job.js';
import type { EventRange, LoggedEvent } from '../../src/platform/events/reading-position.repository.js';
import { IS_IN_RANGE, rangeValues } from '../../src/platform/events/reading-position.repository.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { OpenTransactions } from '../support/open-transactions.js';
import { dedicatedDatabase } from '../support/dedicated-database.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const INSERT_COLLECTED = statement(`INSERT INTO collected (id, position, conversation_id) VALUES ($1, $2, $3)`);
const ALL_IN_RANGE = statement(`SELECT id FROM event WHERE ${IS_IN_RANGE} AND type = 'message.created'`);
const SLOW_MS = 60_000;

/** Stores the events it reads, in the order it reads them. */
class Collector extends EventConsumer {
  readonly name = 'collector';
  protected readonly types = ['message.created'] as const;
  /** Called after the effect, in the same transaction. */
  afterEffect: () => Promise<void> = () => Promise.resolve();

  constructor(
    dependencies: ConsumerDependencies,
    private readonly sql: SqlService,
  ) {
    super(dependencies);
  }

  protected async handle(events: readonly LoggedEvent[]): Promise<void> {
    for (const { id, position, conversationId } of events)
      await this.sql.count(INSERT_COLLECTED, [id, position, conversationId]);
    await this.afterEffect();
  }
}

/** Works for a quarter of the time, and keeps when its steps began and ended. */
class SparingCollector extends Collector {
  protected override readonly share = 0.25;
  readonly steps: { begun: number; ended: number }[] = [];

  protected override async handle(events: readonly LoggedEvent[]): Promise<void> {
    const begun = performance.now();
    await super.handle(events);
    this.steps.push({ begun, ended: performance.now() });
  }
}

/** Lets all events wait but those of one workspace. */
class PatientCollector extends Collector {
  protected override readonly batchMs = SLOW_MS;
  urgentWorkspaceId = '';

  protected override batchMsOf({ workspaceId }: RecordedEvent): number {
    return workspaceId === this.urgentWorkspaceId ? 0 : this.batchMs;
  }
}

/** Begins at the end of the log, skips agents' messages, and keeps what it was given. */
class LateCollector extends EventConsumer {
  protected readonly types = ['message.created'] as const;
  protected override readonly condition = `payload #>> '{message,sender_type}' <> 'agent'`;
  protected override readonly beginsAtEnd = true;
  protected override readonly readsRanges = true;
  protected override readonly rangeSize = 100;
  readonly handled: string[] = [];
  readonly inRange: string[] = [];

  constructor(
    dependencies: ConsumerDependencies,
    private readonly sql: SqlService,
    readonly name: string,
  ) {
    super(dependencies);
  }

  protected async handle(events: readonly LoggedEvent[], range: EventRange): Promise<void> {
    const rows = await this.sql.rows<{ id: string }>(ALL_IN_RANGE, rangeValues(range));
    this.inRange.push(...rows.map(({ id }) => id));
    this.handled.push(...events.map(({ id }) => id));
  }
}

/** A node of a plan, as `EXPLAIN (ANALYZE, FORMAT JSON)` prints it. */
interface PlanNode {
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

function nodesOf(node: PlanNode | undefined): PlanNode[] {
  return node ? [node, ...(node.Plans ?? []).flatMap(nodesOf)] : [];
}

describe('The safe upper bound of a range of transactions', () => {
  const outOfOrderPair = (earlier: number, later: number) => ({ earlier: BigInt(earlier), later: BigInt(later) });

  it('The safe upper bound is the given bound when no events are out of order.', () => {
    expect(safeUpperBound(105n, [])).toBe(105n);
  });

  it('The safe upper bound is the given bound when both events of an out-of-order pair lie below it.', () => {
    expect(safeUpperBound(106n, [outOfOrderPair(105, 100)])).toBe(106n);
  });

  it('The safe upper bound excludes the later event of an out-of-order pair whose earlier event lies above it.', () => {
    expect(safeUpperBound(103n, [outOfOrderPair(105, 100)])).toBe(100n);
  });

  it('The safe upper bound also excludes pairs that the lowered bound separates in turn.', () => {
    expect(safeUpperBound(103n, [outOfOrderPair(105, 100), outOfOrderPair(101, 95), outOfOrderPair(97, 90)])).toBe(90n);
  });
});

describe('An event consumer', () => {
  let database: TestDatabase;
  let world: World;
  let other: World;
  let desk: Desk;
  const transactions = new OpenTransactions(() => database.url);
  /** Lets the consumer read all events. Transactions of the instances' own jobs may delay it for a moment. */
  const readAll = (consumer: EventConsumer & { name: string }): Promise<true> =>
    eventually(async () => {
      await consumer.catchUp();
      const unread =
        'SELECT FROM event JOIN event_reader AS reader ON reader.name = $1 WHERE event.xid >= since LIMIT 1';
      return (await database.query(unread, [consumer.name])).length === 0 || undefined;
    }, 20_000);
  beforeAll(async () => {
    database = await dedicatedDatabase();
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
    desk = await world.register();
    await readAll(newCollector());
  });
  afterEach(async () => {
    await transactions.endAll();
    // retention would keep events for readers that no longer exist
    await database.query(`DELETE FROM event_reader WHERE name LIKE 'late-%'`);
  });

  const newCollector = (of = world) => new Collector(of.app.app.get(ConsumerDependencies), of.app.app.get(SqlService));
  const conversation = async () => (await world.conversation(await world.visitor(desk))).id as string;

  /** Records messages as the service does: under the conversation's row lock. */
  async function recordMessages(client: Client, conversationId: string, times = 1): Promise<string[]> {
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

  /** Checks that every committed event was collected once, in order per conversation. */
  async function assertAllCollectedInOrder(): Promise<void> {
    const rows = await database.query<{ n: string | null; count: string }>(
      `SELECT event.id, collected.n FROM event LEFT JOIN collected USING (id)
       WHERE event.type = 'message.created' AND collected.n IS NULL`,
    );
    expect(rows).toEqual([]);
    const outOfOrder = await database.query(
      `SELECT id FROM (SELECT id, position, max(position) OVER (PARTITION BY conversation_id ORDER BY n) AS highest
       FROM collected) AS reading WHERE position < highest`,
    );
    expect(outOfOrder).toEqual([]);
  }

  it('An event consumer reads each event of its types once, in order.', async () => {
    const conversationId = await conversation();
    const writer = await transactions.begin();
    const ids = await recordMessages(writer, conversationId, 250);
    await transactions.end(writer);
    const reader = newCollector();
    await readAll(reader);
    await reader.catchUp();
    expect(await collectedOf(ids)).toEqual(ids);
    await assertAllCollectedInOrder();
  });

  it('An event that is to be read at once does not wait for the batch of an earlier one.', async () => {
    const reader = new PatientCollector(world.app.app.get(ConsumerDependencies), world.app.app.get(SqlService));
    reader.urgentWorkspaceId = desk.workspaceId;
    await reader.onApplicationBootstrap();
    try {
      const patient = await world.register();
      const talks = [
        await world.conversation(await world.visitor(patient)),
        await world.conversation(await world.visitor(desk)),
      ];
      const events = await database.query<{ id: string }>(
        `SELECT id FROM event WHERE type = 'message.created' AND conversation_id = ANY($1) ORDER BY position`,
        [talks.map(({ id }) => id)],
      );
      const ids = events.map(({ id }) => id);
      expect(ids).toHaveLength(2);
      await eventually(async () => (await collectedOf(ids)).length === 2 || undefined);
      expect(await collectedOf(ids)).toEqual(ids);
    } finally {
      await reader.onApplicationShutdown();
    }
  });

  it('A consumer that begins at the end of the log skips what is in it, and goes on where it stopped.', async () => {
    const conversationId = await conversation();
    const dependencies = [world.app.app.get(ConsumerDependencies), world.app.app.get(SqlService)] as const;
    const name = `late-${newId()}`;
    const reader = new LateCollector(...dependencies, name);
    const before = await transactions.begin();
    const skipped = await recordMessages(before, conversationId, 3);
    await transactions.end(before);
    await readAll(newCollector());
    await reader.onApplicationBootstrap();
    await reader.onApplicationShutdown();
    const writer = await transactions.begin();
    const ids = await recordMessages(writer, conversationId, 3);
    await transactions.end(writer);
    const next = new LateCollector(...dependencies, name);
    await readAll(next);
    const read = [...reader.handled, ...next.handled];
    expect(read.filter(id => [...skipped, ...ids].includes(id))).toEqual(ids);
  });

  it('A consumer loads only events that match its condition, and its ranges contain each event once.', async () => {
    const conversationId = await conversation();
    const dependencies = [world.app.app.get(ConsumerDependencies), world.app.app.get(SqlService)] as const;
    const reader = new LateCollector(...dependencies, `late-${newId()}`);
    await readAll(reader);
    const writer = await transactions.begin();
    const ids = await recordMessages(writer, conversationId, 250);
    await writer.query(
      `UPDATE event SET payload = jsonb_set(payload, '{message,sender_type}', '"agent"') WHERE id = ANY($1)`,
      [ids.slice(0, 20)],
    );
    await transactions.end(writer);
    await readAll(reader);
    expect(reader.handled.filter(id => ids.includes(id))).toEqual(ids.slice(20));
    expect(reader.inRange.filter(id => ids.includes(id)).sort()).toEqual([...ids].sort());
  });

  it('A consumer goes on where the next transaction has more events than it scans at a time.', async () => {
    const conversationId = await conversation();
    const dependencies = [world.app.app.get(ConsumerDependencies), world.app.app.get(SqlService)] as const;
    const reader = new LateCollector(...dependencies, `late-${newId()}`);
    await readAll(reader);
    await database.query(
      `UPDATE event_reader SET since = pg_current_xact_id(), horizon = pg_current_xact_id() WHERE name = $1`,
      [reader.name],
    );
    const writer = await transactions.begin();
    const ids = await recordMessages(writer, conversationId, 150);
    await transactions.end(writer);
    await readAll(reader);
    expect(reader.handled.filter(id => ids.includes(id))).toEqual(ids);
  });

  it('An event consumer does not read an event while an older transaction is open.', async () => {
    const conversationId = await conversation();
    const early = await transactions.begin();
    const late = await transactions.begin();
    const [second] = await recordMessages(late, conversationId);
    await transactions.end(late);
    await newCollector().catchUp();
    expect(await collectedOf([second ?? ''])).toEqual([]);
    const [third] = await recordMessages(early, conversationId);
    await transactions.end(early);
    await readAll(newCollector());
    expect(await collectedOf([second ?? '', third ?? ''])).toEqual([second, third]);
  });

  it('An event consumer never reads the second event of a conversation first, even if its transaction has the lower number and a third one lies between them.', async () => {
    const conversationId = await conversation();
    const waiting = await transactions.begin();
    const bystander = await transactions.begin();
    const blocking = await transactions.begin();
    const [first] = await recordMessages(blocking, conversationId);
    await transactions.end(blocking);
    const [second] = await recordMessages(waiting, conversationId);
    await transactions.end(waiting);
    await newCollector().catchUp();
    const between = await collectedOf([first ?? '', second ?? '']);
    await transactions.end(bystander);
    await readAll(newCollector());
    expect(between).toEqual([]);
    expect(await collectedOf([first ?? '', second ?? ''])).toEqual([first, second]);
  });

  it('An event consumer widens its range until it contains both events of a pair that is thousands of events apart.', async () => {
    const [conversationId, elsewhere] = [await conversation(), await conversation()];
    const waiting = await transactions.begin();
    const writer = await transactions.begin();
    await recordMessages(writer, elsewhere, 3_000);
    const [first] = await recordMessages(writer, conversationId);
    await transactions.end(writer);
    const [second] = await recordMessages(waiting, conversationId);
    await transactions.end(waiting);
    await readAll(newCollector());
    expect(await collectedOf([first ?? '', second ?? ''])).toEqual([first, second]);
    await assertAllCollectedInOrder();
  });

  it('An event consumer finds its part of the log by transactions alone, so it reads no older events, however many there are.', async () => {
    const conversationId = await conversation();
    const writer = await transactions.begin();
    await recordMessages(writer, conversationId, 5_000);
    await transactions.end(writer);
    const later = await transactions.begin();
    const ids = await recordMessages(later, conversationId, 3);
    await transactions.end(later);
    await database.query('ANALYZE event');
    const client = await transactions.begin();
    const [bounds] = (
      await client.query<{ xid: string; settled: string }>(
        'SELECT xid::text, pg_snapshot_xmin(pg_current_snapshot())::text AS settled FROM event WHERE id = $1',
        [ids[0]],
      )
    ).rows;
    await client.query('SET LOCAL plan_cache_mode = force_generic_plan');
    await client.query(
      `PREPARE range (text, text, bigint, bigint, bigint[]) AS SELECT id FROM event WHERE ${IS_IN_RANGE}`,
    );
    const explained = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE range ('${bounds?.xid}', '${bounds?.settled}', 0, NULL, '{}')`,
    );
    const nodes = nodesOf(explained.rows[0]?.['QUERY PLAN'][0].Plan);
    expect(nodes.filter(node => node['Index Cond']?.includes('position'))).toEqual([]);
    const touched = nodes.map(node => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
    expect(Math.max(...touched)).toBeLessThan(100);
  });

  it('A failing event consumer rolls back both its effect and its position.', async () => {
    const conversationId = await conversation();
    const writer = await transactions.begin();
    const ids = await recordMessages(writer, conversationId, 30);
    await transactions.end(writer);
    const reader = newCollector();
    reader.afterEffect = () => Promise.reject(new Error('broken on purpose'));
    await expect(reader.catchUp()).rejects.toThrow('broken on purpose');
    expect(await collectedOf(ids)).toEqual([]);
    await readAll(newCollector());
    expect(await collectedOf(ids)).toEqual(ids);
  });

  it('An event consumer with a share of the time pauses between steps for as long as the share asks for, and reads all the same.', async () => {
    const conversationId = await conversation();
    const writer = await transactions.begin();
    const ids = await recordMessages(writer, conversationId, 250);
    await transactions.end(writer);
    const reader = new SparingCollector(world.app.app.get(ConsumerDependencies), world.app.app.get(SqlService));
    await readAll(reader);
    expect(await collectedOf(ids)).toEqual(ids);
    expect(reader.steps.length).toBeGreaterThanOrEqual(3);
    for (const [index, { begun }] of reader.steps.entries()) {
      const last = reader.steps[index - 1];
      if (last) expect(begun - last.ended).toBeGreaterThanOrEqual(3 * (last.ended - last.begun));
    }
  });

  it('Only one instance runs an event consumer at a time; the others continue without waiting.', async () => {
    const conversationId = await conversation();
    const writer = await transactions.begin();
    const ids = await recordMessages(writer, conversationId, 5);
    await transactions.end(writer);
    const [first, second] = [newCollector(), newCollector(other)];
    let secondIsDone = false;
    first.afterEffect = async () => {
      await second.catchUp();
      secondIsDone = true;
    };
    await readAll(first);
    expect(secondIsDone).toBe(true);
    expect(await collectedOf(ids)).toEqual(ids);
  });

  it.each([1, 2, 3])(
    'Concurrent writers and consumers on two instances lose, repeat and reorder no event (seed %i).',
    async seed => {
      const random = seeded(seed);
      const conversations = await Promise.all([1, 2, 3].map(conversation));
      const readers = [newCollector(), newCollector(other), newCollector()];
      let writing = true;
      const write = async () => {
        for (let round = 0; round < 12; round += 1) {
          const client = await transactions.begin();
          await waitUpTo(random, 12);
          // Always in one order, so that no two writers deadlock.
          const mine = conversations.filter(() => random() < 0.5);
          for (const conversationId of mine) {
            await recordMessages(client, conversationId, 1 + Math.floor(random() * 3));
            await waitUpTo(random, 6);
          }
          await transactions.end(client, random() < 0.2 ? 'ROLLBACK' : 'COMMIT');
        }
      };
      const read = async (reader: Collector) => {
        reader.afterEffect = async () => {
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
      await readAll(newCollector());
      await assertAllCollectedInOrder();
    },
    SLOW_MS,
  );

  it('An event that a consumer has not read is not deleted, however old it is.', async () => {
    const conversationId = await conversation();
    await readAll(newCollector());
    const writer = await transactions.begin();
    const ids = await recordMessages(writer, conversationId, 3);
    await transactions.end(writer);
    await database.query(`UPDATE event SET recorded_at = now() - interval '30 days'`);
    await world.app.app.get(EventRetentionJob).run();
    const kept = async () =>
      (await database.query<{ id: string }>('SELECT id FROM event WHERE id = ANY($1)', [ids])).length;
    expect(await kept()).toBe(3);
    const reader = newCollector();
    await eventually(async () => {
      await reader.catchUp();
      await world.app.app.get(EventRetentionJob).run();
      return (await kept()) === 0 || undefined;
    }, 20_000);
  });

  describe('when the event log was restored into another cluster', () => {
    /** Simulates a restored dump, whose transaction ids come from another cluster. */
    async function moveToAnotherCluster(): Promise<void> {
      await database.query(`UPDATE event SET xid = (xid::text::bigint * 1000)::text::xid8`);
      await database.query(`UPDATE event_reader SET since = (since::text::bigint * 1000)::text::xid8,
        horizon = (horizon::text::bigint * 1000)::text::xid8`);
      await database.query(
        `UPDATE event_log SET id = gen_random_uuid(), home = 'another cluster', pruned_xid = '9000000000'`,
      );
    }

    it('Event consumers continue from their position: they lose no event and read none twice.', async () => {
      const conversationId = await conversation();
      // The consumer has read part of a range.
      const writer = await transactions.begin();
      await recordMessages(writer, conversationId, 150);
      await transactions.end(writer);
      const reader = newCollector();
      let pages = 0;
      reader.afterEffect = () => ((pages += 1) > 1 ? Promise.reject(new Error('on purpose')) : Promise.resolve());
      await expect(reader.catchUp()).rejects.toThrow();
      await moveToAnotherCluster();
      await world.app.app.get(EventTailJob).catchUp();
      const after = await transactions.begin();
      const late = await recordMessages(after, conversationId, 5);
      await transactions.end(after);
      await readAll(newCollector());
      expect(await collectedOf(late)).toEqual(late);
      await assertAllCollectedInOrder();
    });

    it('Open sockets receive sync.required, and no old event is delivered again.', async () => {
      const conversationId = await conversation();
      const inbox = await world.agentSocket(desk.owner);
      const before = inbox.frames[0]?.data.cursor as string;
      await moveToAnotherCluster();
      expect((await inbox.next('sync.required')).data).toEqual({ reason: 'epoch' });
      await desk.owner.api.post(`/v1/conversations/${conversationId}/messages`, { content: 'After the move.' });
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

  it('An open transaction that delays the event log is measured, and logged with its process id after five seconds.', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn');
    const age = async () => {
      const text = await (await fetch(`${world.app.url}/metrics`)).text();
      return Number(/^event_log_xmin_age_seconds (.+)$/m.exec(text)?.[1]);
    };
    const open = await transactions.begin();
    // Another client writes an event, which waits for the open transaction.
    await conversation();
    const [row] = (await open.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    await eventually(async () => ((await age()) > 5 ? true : undefined), 20_000);
    const warning = await eventually(() => warned.mock.calls.find(([text]) => String(text).includes('held back')));
    expect(warning?.[0]).toContain(`process ${row?.pid} of PostgreSQL`);
    const readiness = async () => (await (await fetch(`${world.app.url}/readyz`)).json()) as object;
    expect(await readiness()).toMatchObject({ status: 'ready', event_log: 'held' });
    await transactions.end(open);
    await eventually(async () => ((await age()) < 1 ? true : undefined));
    expect(await readiness()).toMatchObject({ status: 'ready', event_log: 'ok' });
    warned.mockRestore();
  });

  it("A consumer's lag is the age of its oldest unread event, also while an open transaction delays it.", async () => {
    const lag = async () => {
      const text = await (await fetch(`${world.app.url}/metrics`)).text();
      return Number(/^event_reader_lag_seconds\{reader="audit"\} (.+)$/m.exec(text)?.[1]);
    };
    const auditReadAll = async () => {
      const behind = `SELECT 1 FROM event JOIN event_reader ON name = 'audit' AND event.xid >= since LIMIT 1`;
      return (await database.query(behind)).length === 0 || undefined;
    };
    await eventually(auditReadAll, 20_000);
    await eventually(async () => (await lag()) === 0 || undefined);
    const open = await transactions.begin();
    await conversation();
    await eventually(async () => (await lag()) > 2 || undefined, 20_000);
    await transactions.end(open);
    await eventually(async () => (await lag()) < 1 || undefined, 20_000);
  });

  it('An event consumer whose position row is missing after a restore starts at the beginning of the log.', async () => {
    const conversationId = await conversation();
    const reader = newCollector();
    await readAll(reader);
    const before = await collected();
    await database.query(`DELETE FROM event_reader WHERE name = 'collector'`);
    await database.query('DELETE FROM collected');
    await readAll(reader);
    await reader.catchUp();
    const writer = await transactions.begin();
    const [id] = await recordMessages(writer, conversationId);
    await transactions.end(writer);
    await eventually(async () => {
      await reader.catchUp();
      return (await collected()).at(-1) === id || undefined;
    }, 20_000);
    expect(await collected()).toEqual(expect.arrayContaining(before.slice(-1)));
  });
});
