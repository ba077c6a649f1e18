import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DomainError } from '../../src/kernel/domain-error.js';
import type { Principal } from '../../src/kernel/principal.js';
import { MessageAppenderService } from '../../src/modules/conversations/messages/message-appender.service.js';
import { MessagesService } from '../../src/modules/conversations/messages/messages.service.js';
import type { NewMessage, SendResult } from '../../src/modules/conversations/messages/messages.service.js';
import type { Statement } from '../../src/platform/database/sql.js';
import { Sql } from '../../src/platform/database/sql.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { heldRow, heldTable } from '../support/held-row.js';
import type { Json } from '../support/json.js';
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

const agentOf = ({ memberId, workspaceId }: Agent, scope: string[] | null = null) =>
  ({ kind: 'agent', workspaceId, memberId, name: 'Olivia Owner', scope }) as unknown as Principal;
const visitorOf = ({ contactId }: Visitor, generation = 1) => {
  const { workspaceId, channelId } = desk;
  return { kind: 'visitor', workspaceId, contactId, channelId, generation } as unknown as Principal;
};
const path = (id: string) => `/v1/conversations/${id}/messages`;
const open = async () => (await world.conversation(await world.visitor(desk), 'Hello?')).id as string;

/** Has all of them wait behind a send that cannot go on, so that they share the next statement, in this order. */
async function together<T>(sends: () => Promise<T>[]): Promise<T[]> {
  const first = await open();
  const held = await heldTable(world.app.database, 'message');
  const waits = messages.send(agentOf(desk.owner), first, { content: 'waits' });
  await held.awaited();
  const sent = Promise.all(sends());
  await new Promise(resolve => setTimeout(resolve, 20));
  await held.commit();
  await waits;
  return sent;
}

const rows = (sql: string, ...values: unknown[]) => world.app.database.query<Json>(sql, values);
const transactions = async (id: string) =>
  (
    await rows(
      `SELECT DISTINCT xid::text FROM event WHERE conversation_id = $1 AND payload #>> '{message,seq}' <> '1'`,
      id,
    )
  ).length;

describe('a plain message', () => {
  const SAYINGS: [who: 'agent' | 'visitor', said: NewMessage][] = [
    ['agent', { content: 'a note', private: true }],
    ['visitor', { content: 'A question', client_message_id: 'one' }],
    ['visitor', { content: 'and another', metadata: { page: { '\u{1F6D2}': ['"', '\\'] } } }],
    ['agent', { content: `${'x'.repeat(139)}\u{1F600} cut in the middle`, client_message_id: 'one' }],
    ['agent', { content: 'a link', content_type: 'image' }],
    ['visitor', { content: 'Thanks' }],
    ['agent', { content: 'noted', private: true }],
    ['visitor', { content: 'Still there?' }],
  ];

  /** The rows of a conversation, without what is different each time: ids by what they mean, times by their form. */
  async function picture(id: string): Promise<Json> {
    const [conversation] = await rows('SELECT * FROM conversation WHERE id = $1', id);
    const said = await rows('SELECT * FROM message WHERE conversation_id = $1 ORDER BY seq', id);
    const events = await rows(
      `SELECT id, type, actor, channel_id, conversation_id, contact_id, payload_version, payload FROM event
       WHERE conversation_id = $1 AND type LIKE 'message.%' ORDER BY position`,
      id,
    );
    const text = JSON.stringify({ conversation: { ...conversation, number: 0 }, said, events })
      .replaceAll(id, 'the conversation')
      .replaceAll(conversation?.contact_id as string, 'the contact');
    const seqOf = new Map(said.map(({ id: message, seq }) => [message, `message ${seq as number}`]));
    const named = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, uuid => seqOf.get(uuid) ?? 'some id');
    return JSON.parse(named.replace(/\d{4}-\d\d-\d\dT[\d:]+\.\d{3}(000)?Z/g, 'time$1')) as Json;
  }

  /** Which message's time each of the conversation's has. */
  async function moments(id: string): Promise<Record<string, number[]>> {
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
    ['alone', SAYINGS.map((_, index) => [index, index + 1])],
    ['with others of its conversation', [[0, SAYINGS.length]]],
    [
      'with some of them',
      [
        [0, 1],
        [1, 4],
        [4, 8],
      ],
    ],
  ])('leaves the rows that the long way leaves: %s', async (_how, parts) => {
    const [long, short] = [await open(), await open()];
    const units = world.app.app.get(UnitOfWork);
    const say =
      (id: string, contactId: string) =>
      ([who, said]: (typeof SAYINGS)[number]) =>
        messages.send(who === 'agent' ? agentOf(desk.owner) : visitorOf({ ...visitor, contactId }), id, said);
    const contact = async (id: string) =>
      (await rows('SELECT contact_id FROM conversation WHERE id = $1', id))[0]?.contact_id as string;
    const [ofLong, ofShort] = [await contact(long), await contact(short)];
    for (const saying of SAYINGS) await units.run(() => say(long, ofLong)(saying));
    const appended = jest.spyOn(world.app.app.get(MessageAppenderService), 'append');
    for (const [from, to] of parts) await together(() => SAYINGS.slice(from, to).map(say(short, ofShort)));
    expect(appended.mock.calls.filter(([{ id }]) => id === short)).toEqual([]);
    appended.mockRestore();
    expect(await transactions(short)).toBe(parts.length);
    expect(await picture(short)).toEqual(await picture(long));
    const there = await moments(long);
    for (const [what, seqs] of Object.entries(await moments(short))) {
      expect({ what, seqs }).toEqual({ what, seqs: seqs && expect.arrayContaining(there[what] ?? ['never']) });
    }
  });

  it('tells its event as the log has it, each after the one before it', async () => {
    const id = await open();
    const inbox = await world.agentSocket(desk.owner);
    await together(() => [1, 2, 3].map(n => messages.send(agentOf(desk.owner), id, { content: `part ${n}` })));
    const heard = await eventually(() => {
      const frames = inbox
        .of('message.created')
        .filter(frame => frame.conversation_id === id && frame.data.message.seq > 1);
      return frames.length >= 3 ? frames : undefined;
    });
    expect(heard.map(({ data }) => (data.message as Json).content)).toEqual(['part 1', 'part 2', 'part 3']);
    const logged = await rows(
      `SELECT payload FROM event WHERE conversation_id = $1 AND payload #>> '{message,content}' LIKE 'part %' ORDER BY position`,
      id,
    );
    expect(heard.map(({ data }) => data.message)).toEqual(logged.map(({ payload }) => payload.message));
  });

  it('is answered as it is read later', async () => {
    const id = await open();
    const { data } = await desk.owner.api.post(path(id), { content: 'Read me', metadata: { a: [1, null, 'ü'] } });
    const { items } = (await desk.owner.api.get(path(id))).data;
    expect(items.at(-1)).toEqual(data);
  });

  it('that fails fails alone, and those beside it are said', async () => {
    const id = await open();
    await world.app.database.query(
      `CREATE OR REPLACE FUNCTION refuse_bad() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN IF NEW.content = 'bad' THEN RAISE EXCEPTION 'no' USING ERRCODE = '22023'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER refuse_bad BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION refuse_bad()`,
    );
    try {
      const said = ['good 1', 'bad', 'good 2', 'good 3'];
      const results = await together(() =>
        said.map(content =>
          messages.send(agentOf(desk.owner), id, { content }).catch((error: unknown) => String(error)),
        ),
      );
      const outcome = results.map(result => (typeof result === 'string' ? 'failed' : result.message.content));
      expect(outcome).toEqual(['good 1', 'failed', 'good 2', 'good 3']);
      const kept = await rows(
        'SELECT content, seq FROM message WHERE conversation_id = $1 AND seq > 1 ORDER BY seq',
        id,
      );
      expect(kept.map(({ content, seq }) => [content, seq])).toEqual([
        ['good 1', 2],
        ['good 2', 3],
        ['good 3', 4],
      ]);
    } finally {
      await world.app.database.query('DROP TRIGGER refuse_bad ON message; DROP FUNCTION refuse_bad');
    }
  });

  it('that comes twice at once under one client_message_id is one', async () => {
    const id = await open();
    const twice = { content: 'Once', client_message_id: unique('id') };
    const said: SendResult[] = await together(() => [1, 2, 3].map(() => messages.send(agentOf(desk.owner), id, twice)));
    expect(said.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(said.map(({ message }) => message.id)).size).toBe(1);
    const [row] = await rows('SELECT last_seq, unread_contact FROM conversation WHERE id = $1', id);
    expect(row).toEqual({ last_seq: 2, unread_contact: 1 });
  });

  it('of somebody who may not say it is not said, whoever shares its statement', async () => {
    const id = await open();
    const other = await world.desk();
    const elsewhere = await world.channel(desk);
    const { contact_id: contactId } = (await rows('SELECT contact_id FROM conversation WHERE id = $1', id))[0] as Json;
    const results = await together(() =>
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
    expect(results.map(result => (typeof result === 'string' ? result : 'said'))).toEqual([
      'said',
      'not_found',
      'not_found',
      'not_found',
      'said',
      'not_found',
      'token_revoked',
      'said',
    ]);
    const kept = await rows('SELECT content FROM message WHERE conversation_id = $1 AND seq > 1 ORDER BY seq', id);
    expect(kept.map(({ content }) => content)).toEqual(['by 0', 'by 4', 'by 7']);
  });

  it('names the event before it that was recorded while it waited for the lock', async () => {
    const id = await open();
    const published: Json[] = [];
    const { EventLog } = await import('../../src/platform/events/event-log.js');
    const publish = jest.spyOn(world.app.app.get(EventLog), 'publish').mockImplementation(event => {
      published.push(event as unknown as Json);
    });
    const held = await heldRow(world.app.database, 'conversation', id, 'version = version');
    const sending = messages.send(agentOf(desk.owner), id, { content: 'waits' });
    await held.awaited();
    const [meanwhile] = await held.query(
      `INSERT INTO event (id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version)
       SELECT gen_random_uuid(), workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version
       FROM event WHERE conversation_id = $1 ORDER BY position LIMIT 1 RETURNING id`,
      [id],
    );
    await held.commit();
    await sending;
    publish.mockRestore();
    expect(published.map(({ previous }) => (previous as Json).id)).toEqual([meanwhile?.id]);
  });
});

describe('messages that share a statement on two instances', () => {
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

  /**
   * Each instance has a statement that says something in every conversation, one the other way round, and both meet the
   * locked one in the middle. @returns how many deadlocks there had been before
   */
  async function speakAtOnce(): Promise<number> {
    const { database } = world.app;
    const ids = await Promise.all(Array.from({ length: 9 }, open));
    const first = await open();
    const before = await deadlocks();
    const gate = await heldTable(database, 'message');
    const say = (app: TestApp, id: string) =>
      app.app.get(MessagesService).send(agentOf(desk.owner), id, { content: 'at once' });
    const sent = [world, other].map(({ app }, instance) => {
      const order = instance === 0 ? ids : ids.toReversed();
      return Promise.all([first, ...order].map(id => say(app, id)));
    });
    await gate.awaited(2);
    const middle = await heldRow(database, 'conversation', ids[4] as string, 'version = version');
    await gate.commit();
    await middle.awaited(2);
    await middle.commit();
    await Promise.all(sent);
    for (const id of [first, ...ids]) {
      const [row] = await rows(
        `SELECT count(*)::int AS said, max(seq) AS last, (SELECT last_seq FROM conversation WHERE id = $1) AS noted
         FROM message WHERE conversation_id = $1`,
        id,
      );
      expect(row).toEqual({ said: 3, last: 3, noted: 3 });
    }
    return before;
  }

  it('Shared statements of two instances that lock the same conversations in opposite orders never deadlock', async () => {
    const before = await speakAtOnce();
    await new Promise(resolve => setTimeout(resolve, 1_200)); // PostgreSQL counts once a second
    expect(await deadlocks()).toBe(before);
  });

  it('Shared statements that waited for locked rows would deadlock, and still lose no message (control)', async () => {
    const spies = [world, other].map(({ app }) => {
      const sql = app.app.get(Sql);
      const ask = sql.rows.bind(sql) as Sql['rows'];
      return jest.spyOn(sql, 'rows').mockImplementation(((asked: Statement, values: unknown[]) => {
        const text = asked.text
          .replaceAll('SKIP LOCKED', '')
          .replace('FROM seen AS wanted', 'FROM (SELECT * FROM seen ORDER BY place) AS wanted');
        return ask(text === asked.text ? asked : { name: `${asked.name}_waits`, text }, values);
      }) as Sql['rows']);
    });
    try {
      const before = await speakAtOnce();
      await eventually(async () => ((await deadlocks()) > before ? true : undefined), 20_000);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });
});
