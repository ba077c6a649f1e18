import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { Sql } from '../../src/platform/database/sql.js';
import type { MissedEvents } from '../../src/platform/events/event-reading.repository.js';
import { EventReadingRepository } from '../../src/platform/events/event-reading.repository.js';
import { EventTail } from '../../src/platform/events/event-tail.js';
import { EventRetentionJob } from '../../src/platform/events/event-retention.job.js';
import { race } from '../support/race.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import type { Frame, TestSocket } from '../support/socket.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

let world: World;
let desk: Desk;
let visitor: Visitor;
let conversation: Json;

// a server of its own: what other tests hold open there would hold back what this one waits for, and the reverse
beforeAll(async () => {
  world = await World.start({}, { alone: true });
});
afterAll(async () => {
  await world.stop();
});
beforeEach(async () => {
  desk = await world.desk();
  visitor = await world.visitor(desk);
  conversation = await world.conversation(visitor);
  // so that what has happened up to here lies behind every cursor
  await world.app.app.get(EventTail).catchUp();
});

const say = (content: string, by = visitor) =>
  by.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content });
const answer = (body: object) => desk.owner.api.post(`/v1/conversations/${conversation.id}/messages`, body);
const contents = (frames: Frame[]) => frames.map(({ data }) => data.message?.content as string);

/**
 * Nothing goes from the log before its durable readers have passed it, and they pass nothing while any transaction of
 * the cluster, in a database of whichever test, is older.
 */
async function allPassed(): Promise<void> {
  const { database } = world.app;
  const behind = `SELECT 1 FROM event JOIN event_reader ON event_reader.since <= event.xid LIMIT 1`;
  await eventually(
    async () => ((await database.query(behind)).length === 0 ? true : undefined),
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

/** The cursor of a socket that has come and gone. */
async function left(open: () => Promise<TestSocket>): Promise<string> {
  const socket = await open();
  const { cursor } = (await socket.next('connected')).data;
  await socket.close();
  return cursor as string;
}

describe('a socket that comes back with its cursor', () => {
  it.each<[string, (after?: string) => Promise<TestSocket>]>([
    ['an agent in the inbox', after => world.agentSocket(desk.owner, after ? { after } : {})],
    [
      'an agent in a conversation',
      after => world.agentSocket(desk.owner, { room: conversation.id, ...(after ? { after } : {}) }),
    ],
    ['a visitor', after => world.visitorSocket(visitor, after ? { after } : {})],
    [
      'a visitor in one conversation',
      after => world.visitorSocket(visitor, { conv: conversation.id, ...(after ? { after } : {}) }),
    ],
  ])('is told what %s has missed, in order, and goes on live', async (_who, open) => {
    const after = await left(open);
    await say('one');
    await answer({ content: 'two' });
    await say('three');
    const socket = await open(after);
    const resumed = await socket.next('resumed');
    expect(contents(socket.of('message.created'))).toEqual(['one', 'two', 'three']);
    expect(resumed.data).toMatchObject({ from: after, count: socket.frames.filter(({ id }) => id).length });
    expect(socket.frames[0]?.type).toBe('connected');
    await say('four');
    await socket.next('message.created', ({ data }) => data.message.content === 'four');
    await socket.close();
  });

  it('A cursor of GET /v1/events resumes a socket, also one in the middle of the log: nothing after it is missing.', async () => {
    const first = (await desk.owner.api.get('/v1/events?limit=1')).data;
    expect(first.has_more).toBe(true);
    await say('one');
    const socket = await world.agentSocket(desk.owner, { after: first.cursor as string });
    await socket.next('resumed');
    const heard = socket.frames.flatMap(({ id }) => id ?? []);
    const { items } = (await desk.owner.api.get(`/v1/events?limit=200&after=${first.cursor}`)).data;
    expect(items.length).toBeGreaterThan(2);
    for (const { id } of items) expect(heard).toContain(id);
    await socket.close();
  });

  it('is told of a conversation before what was said in it', async () => {
    const stranger = await world.visitor(desk);
    const after = await left(() => world.visitorSocket(stranger));
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

  it('is told nothing twice that it has come behind, with the cursor that it was given', async () => {
    const socket = await world.agentSocket(desk.owner);
    await say('heard');
    await socket.next('message.created');
    await world.app.app.get(EventTail).catchUp();
    await say('heard too');
    const last = await socket.next('message.created', ({ data }) => data.message.content === 'heard too');
    await socket.close();
    const again = await world.agentSocket(desk.owner, { after: last.cursor ?? '' });
    await again.next('resumed');
    expect(contents(again.of('message.created'))).not.toContain('heard');
    await again.close();
  });

  it('carries the cursor that it came with until it has been told everything', async () => {
    const after = await left(() => world.agentSocket(desk.owner));
    await say('one');
    const socket = await world.agentSocket(desk.owner, { after });
    const { data } = await socket.next('resumed');
    const behind = socket.frames.slice(
      0,
      socket.frames.findIndex(({ type }) => type === 'resumed'),
    );
    expect(behind.filter(({ id }) => id).map(({ cursor }) => cursor)).toEqual(Array(behind.length - 1).fill(after));
    expect(behind[0]?.data.cursor).toBe(after);
    expect(data.to).not.toBe('');
    await socket.close();
  });

  it('misses nothing of what is said while it comes back, and hears it in order', async () => {
    for (let round = 0; round < 5; round += 1) {
      const after = await left(() => world.agentSocket(desk.owner));
      const said = race(30, index => say(`${round}.${index}`));
      const socket = await world.agentSocket(desk.owner, { after });
      const answers = await said;
      const newest = Math.max(...answers.map(({ data }) => data.seq as number));
      await socket.next('message.created', ({ data }) => data.message.seq === newest);
      const seen = new Map(socket.of('message.created').map(({ id, data }) => [id, data.message.seq as number]));
      const seqs = [...seen.values()];
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      // what it had heard before may come again, with the same id
      expect(seqs).toEqual(expect.arrayContaining(answers.map(({ data }) => data.seq as number)));
      await socket.close();
    }
  });

  it('is told of what was committed while another transaction holds the log back', async () => {
    const after = await left(() => world.agentSocket(desk.owner));
    await world.app.database.query('BEGIN');
    await world.app.database.query('SELECT pg_current_xact_id()');
    try {
      await say('behind a held horizon');
      const socket = await world.agentSocket(desk.owner, { after });
      await socket.next('resumed');
      expect(contents(socket.of('message.created'))).toEqual(['behind a held horizon']);
      await socket.close();
    } finally {
      await world.app.database.query('ROLLBACK');
    }
  });

  it('is told of what was committed a moment before it began, in order, and then again of what it has heard', async () => {
    await world.app.database.query('BEGIN');
    await world.app.database.query('SELECT pg_current_xact_id()');
    try {
      await say('before');
      const first = await world.agentSocket(desk.owner);
      await say('heard live');
      const live = await first.next('message.created');
      expect(contents(first.of('message.created'))).toEqual(['heard live']);
      await first.close();
      const socket = await world.agentSocket(desk.owner, { after: live.cursor as string });
      await socket.next('resumed');
      const again = socket.of('message.created');
      expect(contents(again)).toEqual(['before', 'heard live']);
      expect(again[1]?.id).toBe(live.id);
      await socket.close();
    } finally {
      await world.app.database.query('ROLLBACK');
    }
  });
});

describe('what is replayed', () => {
  /** The statements by which the log is asked about conversations while that is done, with their values. */
  async function readDuring(work: () => Promise<unknown>) {
    const read = jest.spyOn(world.app.app.get(Sql), 'rows');
    await work();
    const statements = read.mock.calls.filter(([{ text }]) => text.includes('asked.conversation_ids'));
    read.mockRestore();
    return statements.map(([{ text }, values = []]) => ({ text, values: [...values] }));
  }

  it('keeps private notes, and what marks them, from the visitor', async () => {
    const after = await left(() => world.visitorSocket(visitor));
    await answer({ content: 'a note', private: true });
    await desk.owner.api.post(`/v1/conversations/${conversation.id}/read`, { seq: 2 });
    const socket = await world.visitorSocket(visitor, { after });
    const { data } = await socket.next('resumed');
    expect(JSON.stringify(socket.frames)).not.toContain('a note');
    expect(socket.of('message.created')).toEqual([]);
    expect(data.count).toBe(socket.frames.filter(({ id }) => id).length);
  });

  it('is of the channels in scope, and of this workspace, alone', async () => {
    const channel = await world.channel(desk);
    const scoped: Agent = await world.colleague(desk, { channel_ids: [channel.id] });
    const inside = await world.visitor({ widgetToken: channel.widget_token });
    const after = await left(() => world.agentSocket(scoped));
    await say('outside');
    await world.conversation(inside, 'inside');
    const foreign = await world.desk();
    await world.conversation(await world.visitor(foreign), 'elsewhere');
    const socket = await world.agentSocket(scoped, { after });
    await socket.next('resumed');
    expect(contents(socket.of('message.created'))).toEqual(['inside']);
  });

  it('is of the contact, for a visitor, and of no other', async () => {
    const stranger = await world.visitor(desk);
    const after = await left(() => world.visitorSocket(stranger));
    await say('not for strangers');
    const socket = await world.visitorSocket(stranger, { after });
    expect((await socket.next('resumed')).data.count).toBe(0);
  });

  it('is each one’s own, also when many come back together', async () => {
    const strangers = await race(3, async () => {
      const who = await world.visitor(desk);
      return { who, about: await world.conversation(who, 'hello') };
    });
    const elsewhere = await world.desk();
    const foreign = await world.visitor(elsewhere);
    const talks = [
      { who: visitor, about: conversation, by: desk.owner },
      ...strangers.map(stranger => ({ ...stranger, by: desk.owner })),
      { who: foreign, about: await world.conversation(foreign, 'hello'), by: elsewhere.owner },
    ];
    await world.app.app.get(EventTail).catchUp();
    const rooms = talks.flatMap(({ who, about, by }) => [
      { id: about.id, open: (more: object) => world.agentSocket(by, { room: about.id, ...more }) },
      { id: about.id, open: (more: object) => world.visitorSocket(who, { conv: about.id, ...more }) },
    ]);
    const cursors = await Promise.all(rooms.map(({ open }) => left(() => open({}))));
    for (const { who, about } of talks) {
      await who.api.post(`/v1/widget/conversations/${about.id}/messages`, { content: `of ${about.id}` });
    }
    const back = await Promise.all(rooms.map(({ open }, index) => open({ after: cursors[index] })));
    for (const socket of back) await socket.next('resumed');
    expect(back.map(socket => contents(socket.of('message.created')))).toEqual(rooms.map(({ id }) => [`of ${id}`]));
  });

  it('is read in one statement for all who ask in step, to each what it would have read alone', async () => {
    const elsewhere = await world.desk();
    const foreign = await world.visitor(elsewhere);
    const other = await world.conversation(foreign, 'hello');
    const log = world.app.app.get(EventReadingRepository);
    const places: [workspaceId: string, conversationIds: string[]][] = [
      [desk.workspaceId, [conversation.id]],
      [elsewhere.workspaceId, [other.id]],
      [elsewhere.workspaceId, [conversation.id, other.id]],
      [desk.workspaceId, []],
    ];
    const ask = ([workspaceId, ids]: (typeof places)[0]) =>
      log.recent(workspaceId, '0', ['conversation.created', 'message.created'], ids, 5);
    const alone: unknown[] = [];
    for (const place of places) alone.push(await ask(place));
    let together: unknown[] = [];
    const statements = await readDuring(async () => (together = await Promise.all(places.map(ask))));
    expect(statements).toHaveLength(1);
    expect(together).toEqual(alone);
    expect(alone.map(found => (found as MissedEvents).events.length)).toEqual([2, 2, 2, 0]);
  });

  it('of a conversation is read from its own index, however much has happened elsewhere meanwhile', async () => {
    const after = await left(() => world.agentSocket(desk.owner, { room: conversation.id }));
    const [asked] = await readDuring(async () => {
      await (await world.agentSocket(desk.owner, { room: conversation.id, after })).next('resumed');
    });
    const { database } = world.app;
    // there are too few events here to make an index worth it
    await database.query('SET enable_seqscan = off');
    const plans = [
      await database.query(`EXPLAIN ${asked?.text}`, asked?.values),
      await database.query(`EXPLAIN (GENERIC_PLAN) ${asked?.text}`),
    ];
    await database.query('RESET enable_seqscan');
    for (const plan of plans) {
      const indexes = JSON.stringify(plan).match(/ix_event\w*|pk_event/g);
      expect(indexes).toEqual(['ix_event_conversation']);
    }
  });

  it('has the words of an unsent message no more', async () => {
    const after = await left(() => world.agentSocket(desk.owner));
    const said = await answer({ content: 'a slip' });
    await desk.owner.api.delete(`/v1/conversations/${conversation.id}/messages/${said.data.id}`);
    const socket = await world.agentSocket(desk.owner, { after });
    await socket.next('resumed');
    expect(socket.of('message.created')).toHaveLength(1);
    expect(JSON.stringify(socket.frames)).not.toContain('a slip');
  });
});

describe('a cursor that cannot be resumed from', () => {
  const forged = (...parts: string[]) => Buffer.from(parts.join('.')).toString('base64url');

  /** The reason that the socket is given; live frames follow all the same. */
  async function reason(after: string): Promise<string> {
    const socket = await world.agentSocket(desk.owner, { after });
    const { data } = await socket.next('sync.required');
    const words = newId();
    await say(words);
    await socket.next('message.created', frame => frame.data.message.content === words);
    await socket.close();
    return data.reason as string;
  }

  it('is answered with sync.required, which says why, and then live', async () => {
    const good = await left(() => world.agentSocket(desk.owner));
    const [, identity = ''] = Buffer.from(good, 'base64url').toString().split('.');
    expect(await reason('nonsense')).toBe('invalid');
    expect(await reason(forged('1', identity, '12', '15', '3'))).toBe('invalid');
    expect(await reason(forged('1', identity, '9'.repeat(20)))).toBe('invalid');
    expect(await reason(forged('1', '0123456789abcdef', '12'))).toBe('epoch');
    expect(await reason(forged('1', identity, '999999999999'))).toBe('epoch');
  });

  it('is one behind which more than a thousand events lie', async () => {
    const after = await left(() => world.agentSocket(desk.owner));
    await world.app.database.query(
      `INSERT INTO event (id, workspace_id, channel_id, type, actor, payload, payload_version)
       SELECT gen_random_uuid(), $1, NULL, 'workspace.updated', actor, payload, 1
       FROM event, generate_series(1, 1001) WHERE workspace_id = $1 AND type = 'workspace.created'`,
      [desk.workspaceId],
    );
    expect(await reason(after)).toBe('too_many');
  });

  it('is one of a member whose channels have changed since', async () => {
    const channel = await world.channel(desk);
    const scoped: Agent = await world.colleague(desk, { channel_ids: [channel.id] });
    const after = await left(() => world.agentSocket(scoped));
    await desk.owner.api.patch(`/v1/workspace/members/${scoped.memberId}`, { channel_ids: [desk.channelId] });
    const socket = await world.agentSocket(scoped, { after });
    expect((await socket.next('sync.required')).data).toEqual({ reason: 'scope' });
  });
});

describe('GET /v1/events', () => {
  /** Everything that the key can read behind a cursor, page by page. */
  async function everything(
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

  it('gives every durable event once, in order per conversation, whatever the size of the pages', async () => {
    const key = await world.apiKey(desk);
    await race(25, index => say(`m${index}`));
    const whole = (await everything(key, 200)).items;
    const paged = (await everything(key, 7)).items;
    expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
    const seqs = whole.filter(({ type }) => type === 'message.created').map(({ data }) => data.message.seq as number);
    expect(seqs).toEqual(Array.from({ length: 26 }, (_nothing, index) => index + 1));
  });

  it('goes on from where it was, also when there was nothing more yet', async () => {
    const key = await world.apiKey(desk);
    const { cursor } = await everything(key, 100);
    expect((await everything(key, 100, cursor)).items).toEqual([]);
    await say('later');
    const { items } = await everything(key, 100, cursor);
    expect(items.filter(({ type }) => type === 'message.created').map(({ data }) => data.message.content)).toEqual([
      'later',
    ]);
  });

  it('also goes on from the cursor of a frame', async () => {
    const key = await world.apiKey(desk);
    const after = await left(() => world.agentSocket(desk.owner));
    await say('since the frame');
    const { items } = await everything(key, 100, after);
    expect(JSON.stringify(items)).toContain('since the frame');
  });

  it('holds back what could still be overtaken, and gives it when that is over', async () => {
    const key = await world.apiKey(desk);
    const { cursor } = await everything(key, 100);
    await world.app.database.query('BEGIN');
    await world.app.database.query('SELECT pg_current_xact_id()');
    try {
      await say('waits for its turn');
      expect(JSON.stringify((await everything(key, 100, cursor)).items)).not.toContain('waits for its turn');
    } finally {
      await world.app.database.query('ROLLBACK');
    }
    expect(JSON.stringify((await everything(key, 100, cursor)).items)).toContain('waits for its turn');
  });

  it('is for keys and admins of all channels, and shows no other workspace', async () => {
    const foreign = await world.desk();
    await world.conversation(await world.visitor(foreign), 'theirs');
    expect(JSON.stringify((await everything(desk.owner.api, 200)).items)).not.toContain('theirs');
    const agent = await world.colleague(desk);
    expect((await agent.api.get('/v1/events')).error.code).toBe('forbidden');
    const narrow = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    expect((await narrow.api.get('/v1/events')).error.code).toBe('scope_too_narrow');
  });

  it('tells garbage (400) from a place that has been pruned or was never here (410)', async () => {
    const after = await left(() => world.agentSocket(desk.owner));
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
    await say('soon forgotten');
    await allPassed();
    world.app.clock.advance(8 * 24 * 3_600);
    await world.app.app.get(EventRetentionJob).run();
    world.app.clock.reset();
    expect((await api.get(`/v1/events?after=${after}`)).error.code).toBe('cursor_expired');
    const socket = await world.agentSocket(desk.owner, { after });
    expect((await socket.next('sync.required')).data).toEqual({ reason: 'expired' });
    expect((await everything(api, 100)).items).toEqual([]);
  }, 90_000);
});
