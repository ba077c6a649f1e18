import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { SqlService } from '../../src/platform/database/sql.service.js';
import type { MissedEvents } from '../../src/platform/events/event-reading.repository.js';
import { EventReadingRepository } from '../../src/platform/events/event-reading.repository.js';
import { EventTailJob } from '../../src/platform/events/event-tail.job.js';
import { EventRetentionJob } from '../../src/platform/events/event-retention.job.js';
import { race } from '../support/race.js';
import { eventually } from '../support/eventually.js';
import { settled } from '../support/settled.js';
import type { Json } from '../support/json.js';
import type { Frame, TestSocket } from '../support/socket.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

let world: World;
let desk: Desk;
let visitor: Visitor;
let conversation: Json;

// A PostgreSQL server of its own: open transactions delay the log of every database on the server.
beforeAll(async () => {
  world = await World.start({}, { alone: true });
});
afterAll(async () => {
  await world.stop();
});
beforeEach(async () => {
  desk = await world.register();
  visitor = await world.visitor(desk);
  conversation = await world.conversation(visitor);
  // Cursors taken from here on are past the setup.
  await settled(world);
});

const sendMessage = (content: string, by = visitor) =>
  by.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content });
const sendReply = (body: object) => desk.owner.api.post(`/v1/conversations/${conversation.id}/messages`, body);
const contents = (frames: Frame[]) => frames.map(({ data }) => data.message?.content as string);

/**
 * Waits until the durable consumers have read all events; retention deletes none before.
 * An older open transaction in any database of the server delays them.
 */
async function untilConsumed(): Promise<void> {
  const { database } = world.app;
  const unread = `SELECT 1 FROM event JOIN event_reader ON event_reader.since <= event.xid LIMIT 1`;
  await eventually(
    async () => ((await database.query(unread)).length === 0 ? true : undefined),
    60_000,
    async () => ({
      readers: await database.query('SELECT name, since::text, horizon::text, position FROM event_reader'),
      last: await database.query('SELECT xid::text, type, position FROM event ORDER BY position DESC LIMIT 3'),
      open: await database.query(`
        SELECT datname, backend_xid::text, state, wait_event, now() - xact_start AS age, query FROM pg_stat_activity
        WHERE backend_xid IS NOT NULL`),
      snapshot: await database.query('SELECT pg_current_snapshot()::text AS now'),
    }),
  );
}

/** Opens a socket and closes it again. @returns its cursor, which is after all events of before */
async function disconnectedCursor(open: () => Promise<TestSocket>): Promise<string> {
  await settled(world);
  const socket = await open();
  const { cursor } = (await socket.next('connected')).data;
  await socket.close();
  return cursor as string;
}

describe('Resuming a socket from a cursor', () => {
  it.each<[string, (after?: string) => Promise<TestSocket>]>([
    ['An agent’s inbox', after => world.agentSocket(desk.owner, after ? { after } : {})],
    [
      'An agent’s socket of a conversation',
      after => world.agentSocket(desk.owner, { room: conversation.id, ...(after ? { after } : {}) }),
    ],
    ['A visitor’s socket', after => world.visitorSocket(visitor, after ? { after } : {})],
    [
      'A visitor’s socket of a conversation',
      after => world.visitorSocket(visitor, { conv: conversation.id, ...(after ? { after } : {}) }),
    ],
  ])('%s that resumes receives missed messages in order, then live ones', async (_name, open) => {
    const after = await disconnectedCursor(open);
    await sendMessage('one');
    await sendReply({ content: 'two' });
    await sendMessage('three');
    const socket = await open(after);
    const resumed = await socket.next('resumed');
    expect(contents(socket.of('message.created'))).toEqual(['one', 'two', 'three']);
    expect(resumed.data).toMatchObject({ from: after, count: socket.frames.filter(({ id }) => id).length });
    expect(socket.frames[0]?.type).toBe('connected');
    await sendMessage('four');
    await socket.next('message.created', ({ data }) => data.message.content === 'four');
    await socket.close();
  });

  it('A socket resumes from a cursor of GET /v1/events and receives every event after it', async () => {
    const first = (await desk.owner.api.get('/v1/events?limit=1')).data;
    expect(first.has_more).toBe(true);
    await sendMessage('one');
    const socket = await world.agentSocket(desk.owner, { after: first.cursor as string });
    await socket.next('resumed');
    const receivedIds = socket.frames.flatMap(({ id }) => id ?? []);
    const { items } = (await desk.owner.api.get(`/v1/events?limit=200&after=${first.cursor}`)).data;
    expect(items.length).toBeGreaterThan(2);
    for (const { id } of items) expect(receivedIds).toContain(id);
    await socket.close();
  });

  it('A resumed visitor receives a missed conversation before its messages', async () => {
    const stranger = await world.visitor(desk);
    const after = await disconnectedCursor(() => world.visitorSocket(stranger));
    await world.conversation(stranger, 'first words');
    const socket = await world.visitorSocket(stranger, { after });
    await socket.next('resumed');
    expect(socket.frames.map(({ type }) => type)).toEqual([
      'connected',
      'conversation.created',
      'message.created',
      'resumed',
    ]);
  });

  it('A socket resumed from a frame’s cursor does not receive events before it again', async () => {
    const socket = await world.agentSocket(desk.owner);
    await sendMessage('received');
    await socket.next('message.created');
    await settled(world);
    await sendMessage('received too');
    const last = await socket.next('message.created', ({ data }) => data.message.content === 'received too');
    await socket.close();
    const again = await world.agentSocket(desk.owner, { after: last.cursor ?? '' });
    await again.next('resumed');
    expect(contents(again.of('message.created'))).not.toContain('received');
    await again.close();
  });

  it('Replayed frames carry the cursor that the socket resumed from, until `resumed`', async () => {
    const after = await disconnectedCursor(() => world.agentSocket(desk.owner));
    await sendMessage('one');
    const socket = await world.agentSocket(desk.owner, { after });
    const { data } = await socket.next('resumed');
    const replayed = socket.frames.slice(
      0,
      socket.frames.findIndex(({ type }) => type === 'resumed'),
    );
    expect(replayed.filter(({ id }) => id).map(({ cursor }) => cursor)).toEqual(Array(replayed.length - 1).fill(after));
    expect(replayed[0]?.data.cursor).toBe(after);
    expect(data.to).not.toBe('');
    await socket.close();
  });

  it('A socket that resumes while messages are sent receives all of them in order', async () => {
    for (let round = 0; round < 5; round += 1) {
      const after = await disconnectedCursor(() => world.agentSocket(desk.owner));
      const sending = race(30, index => sendMessage(`${round}.${index}`));
      const socket = await world.agentSocket(desk.owner, { after });
      const answers = await sending;
      const newest = Math.max(...answers.map(({ data }) => data.seq as number));
      await socket.next('message.created', ({ data }) => data.message.seq === newest);
      const seen = new Map(socket.of('message.created').map(({ id, data }) => [id, data.message.seq as number]));
      const seqs = [...seen.values()];
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      // Events received earlier may be sent again with the same id.
      expect(seqs).toEqual(expect.arrayContaining(answers.map(({ data }) => data.seq as number)));
      await socket.close();
    }
  });

  it('A resumed socket receives events committed behind an older open transaction', async () => {
    const after = await disconnectedCursor(() => world.agentSocket(desk.owner));
    await world.app.database.query('BEGIN');
    await world.app.database.query('SELECT pg_current_xact_id()');
    try {
      await sendMessage('behind an open transaction');
      const socket = await world.agentSocket(desk.owner, { after });
      await socket.next('resumed');
      expect(contents(socket.of('message.created'))).toEqual(['behind an open transaction']);
      await socket.close();
    } finally {
      await world.app.database.query('ROLLBACK');
    }
  });

  it('Behind an open transaction, a resumed socket also receives events from just before it first connected, and repeats', async () => {
    await world.app.database.query('BEGIN');
    await world.app.database.query('SELECT pg_current_xact_id()');
    try {
      await sendMessage('before');
      const first = await world.agentSocket(desk.owner);
      await sendMessage('received live');
      const live = await first.next('message.created');
      expect(contents(first.of('message.created'))).toEqual(['received live']);
      await first.close();
      const socket = await world.agentSocket(desk.owner, { after: live.cursor as string });
      await socket.next('resumed');
      const again = socket.of('message.created');
      expect(contents(again)).toEqual(['before', 'received live']);
      expect(again[1]?.id).toBe(live.id);
      await socket.close();
    } finally {
      await world.app.database.query('ROLLBACK');
    }
  });
});

describe('Replayed events', () => {
  /** @returns the statements, with values, that read the log by conversation while `work` runs */
  async function readDuring(work: () => Promise<unknown>) {
    const read = jest.spyOn(world.app.app.get(SqlService), 'rows');
    await work();
    const statements = read.mock.calls.filter(([{ text }]) => text.includes('lookup.conversation_ids'));
    read.mockRestore();
    return statements.map(([{ text }, values = []]) => ({ text, values: [...values] }));
  }

  it('A replay to a visitor has no private notes and no read marks on them', async () => {
    const after = await disconnectedCursor(() => world.visitorSocket(visitor));
    await sendReply({ content: 'a note', private: true });
    await desk.owner.api.post(`/v1/conversations/${conversation.id}/read`, { seq: 2 });
    const socket = await world.visitorSocket(visitor, { after });
    const { data } = await socket.next('resumed');
    expect(JSON.stringify(socket.frames)).not.toContain('a note');
    expect(socket.of('message.created')).toEqual([]);
    expect(data.count).toBe(socket.frames.filter(({ id }) => id).length);
  });

  it('A replay to a scoped agent has only events of its channels and workspace', async () => {
    const channel = await world.channel(desk);
    const scoped: Agent = await world.hire(desk, { channel_ids: [channel.id] });
    const inside = await world.visitor({ widgetToken: channel.widget_token });
    const after = await disconnectedCursor(() => world.agentSocket(scoped));
    await sendMessage('outside');
    await world.conversation(inside, 'inside');
    const foreign = await world.register();
    await world.conversation(await world.visitor(foreign), 'elsewhere');
    const socket = await world.agentSocket(scoped, { after });
    await socket.next('resumed');
    expect(contents(socket.of('message.created'))).toEqual(['inside']);
  });

  it('A replay to a visitor has no events of other contacts', async () => {
    const stranger = await world.visitor(desk);
    const after = await disconnectedCursor(() => world.visitorSocket(stranger));
    await sendMessage('not for strangers');
    const socket = await world.visitorSocket(stranger, { after });
    expect((await socket.next('resumed')).data.count).toBe(0);
  });

  it('Sockets that resume together each receive only their own events', async () => {
    const strangers = await race(3, async () => {
      const contact = await world.visitor(desk);
      return { contact, conversation: await world.conversation(contact, 'hello') };
    });
    const elsewhere = await world.register();
    const foreign = await world.visitor(elsewhere);
    const conversations = [
      { contact: visitor, conversation, agent: desk.owner },
      ...strangers.map(stranger => ({ ...stranger, agent: desk.owner })),
      { contact: foreign, conversation: await world.conversation(foreign, 'hello'), agent: elsewhere.owner },
    ];
    await world.app.app.get(EventTailJob).catchUp();
    const rooms = conversations.flatMap(({ contact, conversation: { id }, agent }) => [
      { id, open: (more: object) => world.agentSocket(agent, { room: id, ...more }) },
      { id, open: (more: object) => world.visitorSocket(contact, { conv: id, ...more }) },
    ]);
    const cursors = await Promise.all(rooms.map(({ open }) => disconnectedCursor(() => open({}))));
    for (const {
      contact,
      conversation: { id },
    } of conversations) {
      await contact.api.post(`/v1/widget/conversations/${id}/messages`, { content: `of ${id}` });
    }
    const back = await Promise.all(rooms.map(({ open }, index) => open({ after: cursors[index] })));
    for (const socket of back) await socket.next('resumed');
    expect(back.map(socket => contents(socket.of('message.created')))).toEqual(rooms.map(({ id }) => [`of ${id}`]));
  });

  it('Concurrent replays share one statement, and each gets the result that it would get alone', async () => {
    const elsewhere = await world.register();
    const foreign = await world.visitor(elsewhere);
    const other = await world.conversation(foreign, 'hello');
    const log = world.app.app.get(EventReadingRepository);
    const keys: [workspaceId: string, conversationIds: string[]][] = [
      [desk.workspaceId, [conversation.id]],
      [elsewhere.workspaceId, [other.id]],
      [elsewhere.workspaceId, [conversation.id, other.id]],
      [desk.workspaceId, []],
    ];
    const read = ([workspaceId, ids]: (typeof keys)[0]) =>
      log.recent(workspaceId, '0', ['conversation.created', 'message.created'], ids, 5);
    const alone: unknown[] = [];
    for (const key of keys) alone.push(await read(key));
    let batched: unknown[] = [];
    const statements = await readDuring(async () => (batched = await Promise.all(keys.map(read))));
    expect(statements).toHaveLength(1);
    expect(batched).toEqual(alone);
    expect(alone.map(found => (found as MissedEvents).events.length)).toEqual([2, 2, 2, 0]);
  });

  it('A conversation’s replay is read from the index of the conversation, not from the whole log', async () => {
    const after = await disconnectedCursor(() => world.agentSocket(desk.owner, { room: conversation.id }));
    const [statement] = await readDuring(async () => {
      await (await world.agentSocket(desk.owner, { room: conversation.id, after })).next('resumed');
    });
    const { database } = world.app;
    // With so few events, the planner would not choose an index by itself.
    await database.query('SET enable_seqscan = off');
    const plans = [
      await database.query(`EXPLAIN ${statement?.text}`, statement?.values),
      await database.query(`EXPLAIN (GENERIC_PLAN) ${statement?.text}`),
    ];
    await database.query('RESET enable_seqscan');
    for (const plan of plans) {
      const indexes = JSON.stringify(plan).match(/ix_event\w*|pk_event/g);
      expect(indexes).toEqual(['ix_event_conversation']);
    }
  });

  it('A replay does not have the text of an unsent message', async () => {
    const after = await disconnectedCursor(() => world.agentSocket(desk.owner));
    const slip = await sendReply({ content: 'a slip' });
    await desk.owner.api.delete(`/v1/conversations/${conversation.id}/messages/${slip.data.id}`);
    const socket = await world.agentSocket(desk.owner, { after });
    await socket.next('resumed');
    expect(socket.of('message.created')).toHaveLength(1);
    expect(JSON.stringify(socket.frames)).not.toContain('a slip');
  });
});

describe('A cursor that cannot be resumed from', () => {
  const forgeCursor = (...parts: string[]) => Buffer.from(parts.join('.')).toString('base64url');

  /** Resumes and checks that live frames follow. @returns the reason of `sync.required` */
  async function syncReason(after: string): Promise<string> {
    const socket = await world.agentSocket(desk.owner, { after });
    const { data } = await socket.next('sync.required');
    const content = newId();
    await sendMessage(content);
    await socket.next('message.created', frame => frame.data.message.content === content);
    await socket.close();
    return data.reason as string;
  }

  it('An unusable cursor is answered with sync.required and a reason, and live frames follow', async () => {
    const good = await disconnectedCursor(() => world.agentSocket(desk.owner));
    const [, identity = ''] = Buffer.from(good, 'base64url').toString().split('.');
    expect(await syncReason('nonsense')).toBe('invalid');
    expect(await syncReason(forgeCursor('1', identity, '12', '15', '3'))).toBe('invalid');
    expect(await syncReason(forgeCursor('1', identity, '9'.repeat(20)))).toBe('invalid');
    expect(await syncReason(forgeCursor('1', '0123456789abcdef', '12'))).toBe('epoch');
    expect(await syncReason(forgeCursor('1', identity, '999999999999'))).toBe('epoch');
  });

  it('A cursor with more than a thousand events after it is answered with sync.required (too_many)', async () => {
    const after = await disconnectedCursor(() => world.agentSocket(desk.owner));
    await world.app.database.query(
      `INSERT INTO event (id, workspace_id, channel_id, type, actor, payload, payload_version)
       SELECT gen_random_uuid(), $1, NULL, 'workspace.updated', actor, payload, 1
       FROM event, generate_series(1, 1001) WHERE workspace_id = $1 AND type = 'workspace.created'`,
      [desk.workspaceId],
    );
    expect(await syncReason(after)).toBe('too_many');
  });

  it('A cursor of a member whose channels have changed since is answered with sync.required (scope)', async () => {
    const channel = await world.channel(desk);
    const scoped: Agent = await world.hire(desk, { channel_ids: [channel.id] });
    const after = await disconnectedCursor(() => world.agentSocket(scoped));
    await desk.owner.api.patch(`/v1/workspace/members/${scoped.memberId}`, { channel_ids: [desk.channelId] });
    const socket = await world.agentSocket(scoped, { after });
    expect((await socket.next('sync.required')).data).toEqual({ reason: 'scope' });
  });
});

describe('GET /v1/events', () => {
  /** Reads all events after a cursor, page by page. */
  async function readAllEvents(
    api: Agent['api'],
    limit: number,
    from?: string,
  ): Promise<{ items: Json[]; cursor: string }> {
    const items: Json[] = [];
    for (let cursor = from; ;) {
      const page = (await api.get(`/v1/events?limit=${limit}${cursor ? `&after=${cursor}` : ''}`)).data;
      items.push(...page.items);
      expect(typeof page.cursor).toBe('string');
      if (!page.has_more && page.items.length === 0) return { items, cursor: page.cursor as string };
      cursor = page.cursor as string;
    }
  }

  it('GET /v1/events returns every durable event once, in order per conversation, for any page size', async () => {
    const key = await world.apiKey(desk);
    await race(25, index => sendMessage(`m${index}`));
    const whole = (await readAllEvents(key, 200)).items;
    const paged = (await readAllEvents(key, 7)).items;
    expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
    const seqs = whole.filter(({ type }) => type === 'message.created').map(({ data }) => data.message.seq as number);
    expect(seqs).toEqual(Array.from({ length: 26 }, (_nothing, index) => index + 1));
  });

  it('GET /v1/events continues from the cursor of an empty page', async () => {
    const key = await world.apiKey(desk);
    const { cursor } = await readAllEvents(key, 100);
    expect((await readAllEvents(key, 100, cursor)).items).toEqual([]);
    await sendMessage('later');
    // an event is listed once no older transaction is open: consumers of the log have short ones
    const items = await eventually(async () => {
      const read = (await readAllEvents(key, 100, cursor)).items;
      return read.length > 0 ? read : undefined;
    }, 20_000);
    expect(items.filter(({ type }) => type === 'message.created').map(({ data }) => data.message.content)).toEqual([
      'later',
    ]);
  });

  it('GET /v1/events continues from the cursor of a frame', async () => {
    const key = await world.apiKey(desk);
    const after = await disconnectedCursor(() => world.agentSocket(desk.owner));
    await sendMessage('since the frame');
    await eventually(async () => {
      const { items } = await readAllEvents(key, 100, after);
      return JSON.stringify(items).includes('since the frame') || undefined;
    }, 20_000);
  });

  it('GET /v1/events returns an event only when no older transaction is open', async () => {
    const key = await world.apiKey(desk);
    const { cursor } = await readAllEvents(key, 100);
    await world.app.database.query('BEGIN');
    await world.app.database.query('SELECT pg_current_xact_id()');
    try {
      await sendMessage('waits for its turn');
      expect(JSON.stringify((await readAllEvents(key, 100, cursor)).items)).not.toContain('waits for its turn');
    } finally {
      await world.app.database.query('ROLLBACK');
    }
    await eventually(async () => {
      const { items } = await readAllEvents(key, 100, cursor);
      return JSON.stringify(items).includes('waits for its turn') || undefined;
    }, 20_000);
  });

  it('GET /v1/events is limited to keys and unscoped admins, and returns no other workspace’s events', async () => {
    const foreign = await world.register();
    await world.conversation(await world.visitor(foreign), 'theirs');
    expect(JSON.stringify((await readAllEvents(desk.owner.api, 200)).items)).not.toContain('theirs');
    const agent = await world.hire(desk);
    expect((await agent.api.get('/v1/events')).error.code).toBe('forbidden');
    const narrow = await world.hire(desk, { role: 'admin', channel_ids: [desk.channelId] });
    expect((await narrow.api.get('/v1/events')).error.code).toBe('scope_too_narrow');
  });

  it('GET /v1/events answers a malformed cursor with cursor_invalid (400) and a pruned or foreign one with cursor_expired (410)', async () => {
    const after = await disconnectedCursor(() => world.agentSocket(desk.owner));
    const { api } = desk.owner;
    expect((await api.get('/v1/events?after=garbage')).error.code).toBe('cursor_invalid');
    const [, identity = ''] = Buffer.from((await api.get('/v1/events')).data.cursor, 'base64url')
      .toString()
      .split('.');
    const [huge, small] = ['9'.repeat(20), '1'];
    for (const numbers of [
      [huge],
      [small, huge, small, small],
      [small, small, huge, small],
      [small, small, small, huge],
    ]) {
      const after = Buffer.from(['1', identity, ...numbers].join('.')).toString('base64url');
      expect((await api.get(`/v1/events?after=${after}`)).error.code).toBe('cursor_invalid');
    }
    const elsewhere = Buffer.from('1.0123456789abcdef.12').toString('base64url');
    expect((await api.get(`/v1/events?after=${elsewhere}`)).error.code).toBe('cursor_expired');
    await sendMessage('soon forgotten');
    await untilConsumed();
    world.app.clock.advance(8 * 24 * 3_600);
    await world.app.app.get(EventRetentionJob).run();
    world.app.clock.reset();
    expect((await api.get(`/v1/events?after=${after}`)).error.code).toBe('cursor_expired');
    const socket = await world.agentSocket(desk.owner, { after });
    expect((await socket.next('sync.required')).data).toEqual({ reason: 'expired' });
    expect((await readAllEvents(api, 100)).items).toEqual([]);
  }, 90_000);
});
