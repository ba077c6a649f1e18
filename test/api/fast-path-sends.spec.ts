import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DomainError } from '../../src/kernel/domain-error.js';
import type { Principal } from '../../src/kernel/principal.js';
import { MessageAppenderService } from '../../src/modules/messages/message-appender.service.js';
import { MessagesService } from '../../src/modules/messages/messages.service.js';
import type { NewMessage, SendResult } from '../../src/modules/messages/messages.service.js';
import type { Statement } from '../../src/platform/database/sql.service.js';
import { SqlService } from '../../src/platform/database/sql.service.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { lockRowByUpdate, lockTable } from '../support/blocking-transaction.js';
import type { Json } from '../support/json.js';
import { storeMessages } from '../support/stored-messages.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

let world: World;
let desk: Desk;
let visitor: Visitor;
let messages: MessagesService;
beforeAll(async () => {
  world = await World.start();
  messages = world.app.app.get(MessagesService);
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  visitor = await world.visitor(desk);
});

const AVATAR = 'https://shop.example/olivia.png';
const agentOf = ({ memberId, workspaceId }: Agent, scope: string[] | null = null) =>
  ({ kind: 'agent', workspaceId, memberId, name: 'Olivia Owner', avatarUrl: AVATAR, scope }) as unknown as Principal;
const visitorOf = ({ contactId }: Visitor, generation = 1) => {
  const { workspaceId, channelId } = desk;
  return { kind: 'visitor', workspaceId, contactId, channelId, generation } as unknown as Principal;
};
const path = (id: string) => `/v1/conversations/${id}/messages`;
/** A conversation after its first response, which is not an ordinary message. */
async function open(): Promise<string> {
  const { id } = await world.conversation(await world.visitor(desk), 'Hello?');
  await messages.send(agentOf(desk.owner), id as string, { content: 'Hello.' });
  return id as string;
}

/** Sends all of them in one statement, in this order: they queue behind a send that waits for a table lock. */
async function sendInOneStatement<T>(sends: () => Promise<T>[]): Promise<T[]> {
  const first = await open();
  const lock = await lockTable(world.app.database, 'message');
  const waits = messages.send(agentOf(desk.owner), first, { content: 'waits' });
  await lock.awaited();
  const sent = Promise.all(sends());
  await new Promise(resolve => setTimeout(resolve, 20));
  await lock.commit();
  await waits;
  return sent;
}

const rows = (sql: string, ...values: unknown[]) => world.app.database.query<Json>(sql, values);
const transactions = async (id: string) =>
  (
    await rows(
      `SELECT DISTINCT xid::text FROM event WHERE conversation_id = $1 AND payload #>> '{message,seq}' NOT IN ('1', '2')`,
      id,
    )
  ).length;

describe('A message on the fast path', () => {
  const MESSAGES: [sender: 'agent' | 'visitor', body: NewMessage][] = [
    ['agent', { content: 'a note', private: true }],
    ['visitor', { content: 'A question', client_message_id: 'one' }],
    ['visitor', { content: 'and another', metadata: { page: { '\u{1F6D2}': ['"', '\\'] } } }],
    ['agent', { content: `${'x'.repeat(139)}\u{1F600} cut in the middle`, client_message_id: 'one' }],
    ['agent', { content: 'a link', content_type: 'image' }],
    ['visitor', { content: 'Thanks' }],
    ['agent', { content: 'noted', private: true }],
    ['visitor', { content: 'Still there?' }],
  ];

  /**
   * The rows of a conversation with ids replaced by their meaning and times by their format, so that two can be
   * compared.
   */
  async function snapshot(id: string): Promise<Json> {
    const [conversation] = await rows('SELECT * FROM conversation WHERE id = $1', id);
    const messageRows = await rows('SELECT * FROM message WHERE conversation_id = $1 ORDER BY seq', id);
    const events = await rows(
      `SELECT id, type, actor, channel_id, conversation_id, contact_id, payload_version, payload FROM event
       WHERE conversation_id = $1 AND type LIKE 'message.%' ORDER BY position`,
      id,
    );
    const text = JSON.stringify({ conversation: { ...conversation, number: 0 }, messageRows, events })
      .replaceAll(id, 'the conversation')
      .replaceAll(conversation?.contact_id as string, 'the contact');
    const seqOf = new Map(messageRows.map(({ id: message, seq }) => [message, `message ${seq as number}`]));
    const named = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, uuid => seqOf.get(uuid) ?? 'some id');
    return JSON.parse(named.replace(/\d{4}-\d\d-\d\dT[\d:]+\.\d{3}(000)?Z/g, 'time$1')) as Json;
  }

  /** For each time of the conversation, the seqs of the messages created at that time. */
  async function timeSources(id: string): Promise<Record<string, number[]>> {
    const [row] = await rows(
      `SELECT to_jsonb(array_agg(seq) FILTER (WHERE message.created_at = first_response_at)) AS answered,
              to_jsonb(array_agg(seq) FILTER (WHERE message.created_at = waiting_since)) AS waits,
              to_jsonb(array_agg(seq) FILTER (WHERE message.created_at = last_activity_at)) AS active,
              to_jsonb(array_agg(seq) FILTER (WHERE message.created_at = conversation.updated_at)) AS updated
       FROM conversation JOIN message ON conversation_id = conversation.id WHERE conversation.id = $1 GROUP BY conversation.id`,
      id,
    );
    return row as Record<string, number[]>;
  }

  it.each([
    ['each in its own statement', MESSAGES.map((_, index) => [index, index + 1])],
    ['all in one statement', [[0, MESSAGES.length]]],
    [
      'in statements of one, three and four messages',
      [
        [0, 1],
        [1, 4],
        [4, 8],
      ],
    ],
  ])('The fast path leaves the same rows as sending with a lock: %s', async (_case, parts) => {
    const [lockedId, fastId] = [await open(), await open()];
    const units = world.app.app.get(UnitOfWork);
    const sendTo =
      (id: string, contactId: string) =>
      ([sender, body]: (typeof MESSAGES)[number]) =>
        messages.send(sender === 'agent' ? agentOf(desk.owner) : visitorOf({ ...visitor, contactId }), id, body);
    const contact = async (id: string) =>
      (await rows('SELECT contact_id FROM conversation WHERE id = $1', id))[0]?.contact_id as string;
    const [lockedContact, fastContact] = [await contact(lockedId), await contact(fastId)];
    for (const message of MESSAGES) await units.run(() => sendTo(lockedId, lockedContact)(message));
    const appended = jest.spyOn(world.app.app.get(MessageAppenderService), 'append');
    for (const [from, to] of parts)
      await sendInOneStatement(() => MESSAGES.slice(from, to).map(sendTo(fastId, fastContact)));
    expect(appended.mock.calls.filter(([{ id }]) => id === fastId)).toEqual([]);
    appended.mockRestore();
    expect(await transactions(fastId)).toBe(parts.length);
    expect(await snapshot(fastId)).toEqual(await snapshot(lockedId));
    const expected = await timeSources(lockedId);
    for (const [field, seqs] of Object.entries(await timeSources(fastId))) {
      expect({ field, seqs }).toEqual({
        field,
        seqs: seqs && expect.arrayContaining(expected[field] ?? ['never']),
      });
    }
  });

  it('The events of fast-path messages are published in order and as they are logged', async () => {
    const id = await open();
    const inbox = await world.agentSocket(desk.owner);
    await sendInOneStatement(() =>
      [1, 2, 3].map(n => messages.send(agentOf(desk.owner), id, { content: `part ${n}` })),
    );
    const frames = await eventually(() => {
      const frames = inbox
        .of('message.created')
        .filter(frame => frame.conversation_id === id && frame.data.message.seq > 1);
      return frames.length >= 3 ? frames : undefined;
    });
    expect(frames.map(({ data }) => (data.message as Json).content)).toEqual(['part 1', 'part 2', 'part 3']);
    const logged = await rows(
      `SELECT payload FROM event WHERE conversation_id = $1 AND payload #>> '{message,content}' LIKE 'part %' ORDER BY position`,
      id,
    );
    expect(frames.map(({ data }) => data.message)).toEqual(logged.map(({ payload }) => payload.message));
  });

  it('A fast-path message has its sender’s avatar in its row, its event and its frame, and a contact’s has none.', async () => {
    const id = await open();
    const [{ contact_id: contactId } = {}] = await rows('SELECT contact_id FROM conversation WHERE id = $1', id);
    const inbox = await world.agentSocket(desk.owner);
    const appended = jest.spyOn(world.app.app.get(MessageAppenderService), 'append');
    await messages.send(visitorOf({ ...visitor, contactId: contactId as string }), id, { content: 'A question' });
    await messages.send(agentOf(desk.owner), id, { content: 'An answer' });
    expect(appended.mock.calls.filter(([conversation]) => conversation.id === id)).toEqual([]);
    appended.mockRestore();
    const shown = await Promise.all(
      ['A question', 'An answer'].map(async content => {
        const frame = await inbox.next('message.created', ({ data }) => data.message.content === content);
        return (frame.data.message as Json).sender_avatar_url as string | null;
      }),
    );
    expect(shown).toEqual([null, AVATAR]);
    const stored = await rows(
      `SELECT sender_avatar_url AS stored, payload #> '{message,sender_avatar_url}' AS logged
       FROM message JOIN event ON payload #>> '{message,id}' = message.id::text AND type = 'message.created'
       WHERE message.conversation_id = $1 AND event.conversation_id = $1 AND message.seq > 2 ORDER BY message.seq`,
      id,
    );
    expect(stored).toEqual([
      { stored: null, logged: null },
      { stored: AVATAR, logged: AVATAR },
    ]);
  });

  it('The answer to a fast-path message equals the message as it is listed later', async () => {
    const id = await open();
    const { data } = await desk.owner.api.post(path(id), { content: 'Read me', metadata: { a: [1, null, 'ü'] } });
    const { items } = (await desk.owner.api.get(path(id))).data;
    expect(items.at(-1)).toEqual(data);
  });

  it('A fast-path message that fails does not fail the others in its statement', async () => {
    const id = await open();
    await world.app.database.query(
      `CREATE OR REPLACE FUNCTION refuse_bad() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN IF NEW.content = 'bad' THEN RAISE EXCEPTION 'no' USING ERRCODE = '22023'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER refuse_bad BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION refuse_bad()`,
    );
    try {
      const contents = ['good 1', 'bad', 'good 2', 'good 3'];
      const results = await sendInOneStatement(() =>
        contents.map(content =>
          messages.send(agentOf(desk.owner), id, { content }).catch((error: unknown) => String(error)),
        ),
      );
      const outcome = results.map(result => (typeof result === 'string' ? 'failed' : result.message.content));
      expect(outcome).toEqual(['good 1', 'failed', 'good 2', 'good 3']);
      const kept = await rows(
        'SELECT content, seq FROM message WHERE conversation_id = $1 AND seq > 2 ORDER BY seq',
        id,
      );
      // They were sent at once: the bad one's lock may let a later one pass an earlier one.
      expect(kept.map(({ seq }) => seq)).toEqual([3, 4, 5]);
      expect(kept.map(({ content }) => String(content)).sort()).toEqual(['good 1', 'good 2', 'good 3']);
    } finally {
      await world.app.database.query('DROP TRIGGER refuse_bad ON message; DROP FUNCTION refuse_bad');
    }
  });

  it('A client_message_id that comes three times in one statement makes one message', async () => {
    const id = await open();
    const twice = { content: 'Once', client_message_id: unique('id') };
    const results: SendResult[] = await sendInOneStatement(() =>
      [1, 2, 3].map(() => messages.send(agentOf(desk.owner), id, twice)),
    );
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ message }) => message.id)).size).toBe(1);
    const [row] = await rows('SELECT last_seq, unread_contact FROM conversation WHERE id = $1', id);
    expect(row).toEqual({ last_seq: 3, unread_contact: 2 });
  });

  it('A sender without access cannot send through a statement shared with others', async () => {
    const id = await open();
    const other = await world.desk();
    const elsewhere = await world.channel(desk);
    const { contact_id: contactId } = (await rows('SELECT contact_id FROM conversation WHERE id = $1', id))[0] as Json;
    const results = await sendInOneStatement(() =>
      [
        agentOf(desk.owner),
        agentOf(other.owner),
        agentOf(desk.owner, [elsewhere.id as string]),
        agentOf(desk.owner, []),
        agentOf(desk.owner, [desk.channelId]),
        visitorOf(visitor),
        visitorOf({ ...visitor, contactId: contactId as string }, 7),
        visitorOf({ ...visitor, contactId: contactId as string }),
      ].map((principal, index) =>
        messages.send(principal, id, { content: `by ${index}` }).catch((error: DomainError) => error.code),
      ),
    );
    expect(results.map(result => (typeof result === 'string' ? result : 'sent'))).toEqual([
      'sent',
      'not_found',
      'not_found',
      'not_found',
      'sent',
      'not_found',
      'token_revoked',
      'sent',
    ]);
    const kept = await rows('SELECT content FROM message WHERE conversation_id = $1 AND seq > 2 ORDER BY seq', id);
    expect(kept.map(({ content }) => content)).toEqual(['by 0', 'by 4', 'by 7']);
  });

  it('A fast-path event names as its predecessor the event recorded while it waited for the lock', async () => {
    const id = await open();
    const published: Json[] = [];
    const { EventLogService } = await import('../../src/platform/events/event-log.service.js');
    const publish = jest.spyOn(world.app.app.get(EventLogService), 'publish').mockImplementation(event => {
      published.push(event as unknown as Json);
    });
    const lock = await lockRowByUpdate(world.app.database, 'conversation', id, 'version = version');
    const sending = messages.send(agentOf(desk.owner), id, { content: 'waits' });
    await lock.awaited();
    const [meanwhile] = await lock.query(
      `INSERT INTO event (id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version)
       SELECT gen_random_uuid(), workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version
       FROM event WHERE conversation_id = $1 ORDER BY position LIMIT 1 RETURNING id`,
      [id],
    );
    await lock.commit();
    await sending;
    publish.mockRestore();
    expect(published.map(({ previous }) => (previous as Json).id)).toEqual([meanwhile?.id]);
  });
});

describe('A message in a young database', () => {
  const LATER = 5_000;
  let young: World;
  beforeAll(async () => {
    young = await World.start({ DATABASE_POOL_SIZE: '3' });
  });
  afterAll(() => young.stop());

  it('A send reads no whole table, although its plan was made when the tables had a few rows', async () => {
    const owner = await young.desk();
    const { id } = await young.conversation(await young.visitor(owner), 'Hello?');
    const send = (key: number) =>
      young.app.app
        .get(MessagesService)
        .send(agentOf(owner.owner), id as string, { content: 'Hello.', client_message_id: `${key}` });
    const { query } = young.app.database;
    /** PostgreSQL publishes both counts together, about once a second. */
    const countsOf = async () =>
      (
        await query<{ read: number; inserted: number }>(
          `SELECT pg_stat_clear_snapshot(), seq_tup_read::int AS read, n_tup_ins::int AS inserted
           FROM pg_stat_user_tables WHERE relname = 'message'`,
        )
      )[0] as { read: number; inserted: number };
    const afterInserts = (count: number) =>
      eventually(async () => {
        const counts = await countsOf();
        return counts.inserted === count ? counts : undefined;
      });

    await send(0);
    // as autovacuum does within the first minute
    await query('ANALYZE');
    // a connection keeps a plan from the sixth use on
    for (let key = 1; key <= 30; key += 1) await send(key);
    for (let key = 31; key <= 90; key += 3) await Promise.all([send(key), send(key + 1), send(key + 2)]);
    await storeMessages(young.app.database, id as string, LATER);
    const { read } = await afterInserts(92 + LATER);
    for (let key = 91; key <= 100; key += 1) await send(key);
    await Promise.all([send(101), send(102), send(103)]);
    expect(await afterInserts(105 + LATER)).toMatchObject({ read });
  });
});

describe('Messages that share a statement on two instances', () => {
  let other: World;
  beforeAll(async () => {
    other = await World.start({}, { database: world.app.database });
  });
  afterAll(() => other.stop());

  const deadlocks = async () => {
    const [row] = await rows(
      `SELECT pg_stat_clear_snapshot(), deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
    );
    return row?.deadlocks as number;
  };
  /** PostgreSQL updates the count once a second. */
  const deadlocksSoon = async () => {
    await new Promise(resolve => setTimeout(resolve, 1_200));
    return deadlocks();
  };

  /**
   * Sends to the same conversations from two instances in opposite orders, until both wait for a locked row in the
   * middle. @returns the number of deadlocks before
   */
  async function sendInOppositeOrders(): Promise<number> {
    const { database } = world.app;
    const ids = await Promise.all(Array.from({ length: 9 }, open));
    const first = await open();
    const before = await deadlocks();
    const gate = await lockTable(database, 'message');
    const sendTo = (app: TestApp, id: string) =>
      app.app.get(MessagesService).send(agentOf(desk.owner), id, { content: 'at once' });
    const sent = [world, other].map(({ app }) => sendTo(app, first));
    await gate.awaited(2);
    // while the first statement of each instance waits, these gather for the second one
    sent.push(...ids.map(id => sendTo(world.app, id)), ...ids.toReversed().map(id => sendTo(other.app, id)));
    const middle = await lockRowByUpdate(database, 'conversation', ids[4] as string, 'version = version');
    await gate.commit();
    await middle.awaited(2);
    await middle.commit();
    await Promise.all(sent);
    for (const id of [first, ...ids]) {
      const [row] = await rows(
        `SELECT count(*)::int AS sent, max(seq) AS last, (SELECT last_seq FROM conversation WHERE id = $1) AS last_seq
         FROM message WHERE conversation_id = $1`,
        id,
      );
      expect(row).toEqual({ sent: 4, last: 4, last_seq: 4 });
    }
    return before;
  }

  it('Shared statements of two instances that lock the same conversations in opposite orders never deadlock', async () => {
    const before = await sendInOppositeOrders();
    expect(await deadlocksSoon()).toBe(before);
  });

  it('Shared statements that waited for locked rows would deadlock, and still lose no message (control)', async () => {
    const spies = [world, other].map(({ app }) => {
      const sql = app.app.get(SqlService);
      const runRows = sql.rows.bind(sql) as SqlService['rows'];
      return jest.spyOn(sql, 'rows').mockImplementation(((statement: Statement, values: unknown[]) => {
        const text = statement.text
          .replaceAll('SKIP LOCKED', '')
          .replace('FROM seen AS wanted', 'FROM (SELECT * FROM seen ORDER BY place) AS wanted');
        return runRows(text === statement.text ? statement : { name: `${statement.name}_waits`, text }, values);
      }) as SqlService['rows']);
    });
    try {
      const before = await deadlocks();
      // On a busy machine the messages of an instance may become several statements, which do not deadlock.
      await eventually(async () => {
        await sendInOppositeOrders();
        return (await deadlocksSoon()) > before || undefined;
      }, 60_000);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });
});
