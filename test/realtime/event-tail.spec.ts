import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Client } from 'pg';
import { newId } from '../../src/kernel/ids.js';
import { Sql } from '../../src/platform/database/sql.js';
import { COMMITTED_EVENTS } from '../../src/platform/events/event-log.js';
import { EventTail } from '../../src/platform/events/event-tail.js';
import { EventTailRepository } from '../../src/platform/events/event-tail.repository.js';
import { Fanout } from '../../src/platform/fanout/fanout.js';
import { InvalidData } from '../../src/platform/redis/invalid-data.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { OpenTransactions } from '../support/open-transactions.js';
import type { Frame, TestSocket } from '../support/socket.js';
import type { Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

/** The tail reads the log four times a second. */
const SOON_MS = 2_500;
/** How many events it takes into memory at once. */
const PAGE = 200;

type Publish = (subject: string, body: unknown) => void;

describe('the event log', () => {
  let database: TestDatabase;
  let world: World;
  let tail: EventTail;
  let desk: Desk;
  let visitor: Visitor;
  let conversation: { id: string };
  let restoreFanout: () => void = () => undefined;
  const transactions = new OpenTransactions(() => database.url);
  beforeAll(async () => {
    world = await World.start({}, { alone: true });
    database = world.app.database;
    tail = world.app.app.get(EventTail);
  });
  afterAll(async () => {
    await world.stop();
  });
  afterEach(async () => {
    restoreFanout();
    await transactions.endAll();
  });
  beforeEach(async () => {
    desk = await world.desk();
    visitor = await world.visitor(desk);
    conversation = await world.conversation(visitor);
    await passed(world);
  });

  /** Puts something between the log and its fast path. */
  function intercept(through: (event: unknown, pass: (event: unknown) => void) => void): void {
    const fanout = world.app.app.get(Fanout);
    const real = Object.getPrototypeOf(fanout) as { publish: Publish };
    const pass = (event: unknown) => real.publish.call(fanout, COMMITTED_EVENTS, event);
    fanout.publish = (subject, body) =>
      subject === COMMITTED_EVENTS ? through(body, pass) : real.publish.call(fanout, subject, body);
    restoreFanout = () => Reflect.deleteProperty(fanout, 'publish');
  }

  const silence = () => intercept(() => undefined);

  /** What has been committed until now has been read by the tail. */
  const passed = (reader: World) => reader.app.app.get(EventTail).catchUp();

  /** Records an event as a service would: a copy of the conversation's first message. */
  async function copyEvent(client: Client, id: string, conversationId: string): Promise<void> {
    await client.query(
      `INSERT INTO event (id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version)
       SELECT $1, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version
       FROM event WHERE conversation_id = $2 AND type = 'message.created' ORDER BY position LIMIT 1`,
      [id, conversationId],
    );
  }

  /** Records many of them. @returns their ids, in order of the log */
  async function copyEvents(client: Client, count: number, conversationId: string): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId());
    for (const id of ids) await copyEvent(client, id, conversationId);
    return ids;
  }

  const say = async (content: string, id = conversation.id, by = desk.owner.api) =>
    (await by.post(`/v1/conversations/${id}/messages`, { content })).data;

  const said = (socket: TestSocket, id = conversation.id) =>
    socket.of('message.created').filter(frame => frame.conversation_id === id);
  const seqs = (frames: Frame[]) => frames.map(({ data }) => data.message.seq as number);
  const through = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_nothing, index) => from + index);
  const heard = (socket: TestSocket, seq: number, id = conversation.id) =>
    socket.next('message.created', frame => frame.conversation_id === id && frame.data.message.seq === seq, 10_000);

  it('its identity and horizon are not for clients to read: the cursor is opaque text', async () => {
    const inbox = await world.agentSocket(desk.owner);
    await say('Hello.');
    const { cursor } = await inbox.next('message.created');
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{10,}$/);
    expect(inbox.frames[0]?.data.cursor).toMatch(/^[A-Za-z0-9_-]{10,}$/);
  });

  it('the cursor moves forward and never back, and a new socket begins where the log is', async () => {
    const inbox = await world.agentSocket(desk.owner);
    for (let index = 0; index < 4; index += 1) {
      await say(`Message ${index}.`);
      await passed(world);
    }
    const late = await world.agentSocket(desk.owner);
    const cursors = [...inbox.frames, ...late.frames].flatMap(
      ({ cursor, data }) => cursor ?? (data?.cursor as string) ?? [],
    );
    const horizons = cursors.map(horizonOf);
    expect(horizons).toEqual([...horizons].sort((a, b) => Number(a - b)));
    expect(new Set(horizons).size).toBeGreaterThan(3);
  });

  describe('with the fast path silent', () => {
    it('brings every committed event within two seconds, once each, in order per conversation', async () => {
      const guests = await Promise.all([1, 2, 3].map(() => world.visitor(desk)));
      const talks = await Promise.all(guests.map(guest => world.conversation(guest)));
      await passed(world);
      const inbox = await world.agentSocket(desk.owner);
      const pages = await Promise.all(guests.map(guest => world.visitorSocket(guest)));
      silence();
      await Promise.all(
        talks.flatMap(({ id }, index) => {
          const path = `/v1/widget/conversations/${id}/messages`;
          const guest = guests[index] ?? visitor;
          const answers = through(1, 10).map(number => say(`agent ${number}`, id));
          const questions = through(1, 10).map(number => guest.api.post(path, { content: `visitor ${number}` }));
          return [Promise.all(answers), Promise.all(questions)];
        }),
      );
      for (const { id } of talks) await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
      const committed = performance.now();
      for (const { id } of talks) await heard(inbox, 22, id);
      for (const [index, page] of pages.entries()) await heard(page, 22, talks[index]?.id);
      expect(performance.now() - committed).toBeLessThan(SOON_MS);
      for (const [index, { id }] of talks.entries()) {
        const recorded = await database.query<{ id: string }>(
          'SELECT id FROM event WHERE conversation_id = $1 ORDER BY position OFFSET 2',
          [id],
        );
        expect(recorded.length).toBe(22);
        for (const socket of [inbox, pages[index]]) {
          const frames = socket?.frames.filter(frame => frame.conversation_id === id) ?? [];
          expect(frames.map(frame => frame.id)).toEqual(recorded.map(event => event.id));
          expect(seqs(frames.filter(({ type }) => type === 'message.created'))).toEqual(through(2, 22));
        }
      }
    });

    it('a sign-out still closes its sockets within two seconds', async () => {
      const agent = await world.colleague(desk);
      const socket = await world.agentSocket(agent);
      silence();
      await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
      expect((await socket.end(SOON_MS)).code).toBe(4502);
    });

    it('connections that are cut cost nothing but time', async () => {
      const inbox = await world.agentSocket(desk.owner);
      silence();
      await say('Before.');
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await eventually(async () => ((await say('After.')) ? true : undefined));
      await heard(inbox, 3);
      expect(seqs(said(inbox))).toEqual([2, 3]);
    });

    it('order holds where a conversation’s later event has the earlier transaction number', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const [first, second] = [newId(), newId()];
      // drawn in this order: of whoever waits for the conversation's lock, of a bystander, of whoever has the lock
      const waiting = await transactions.begin();
      const bystander = await transactions.begin();
      const holding = await transactions.begin();
      await copyEvent(holding, first, conversation.id);
      await transactions.end(holding);
      await copyEvent(waiting, second, conversation.id);
      await transactions.end(waiting);
      await inbox.next('message.created', ({ id }) => id === second, SOON_MS);
      await transactions.end(bystander);
      await passed(world);
      await inbox.settled();
      expect(said(inbox).map(({ id }) => id)).toEqual([first, second]);
    });

    it('six hundred events at once are read page by page, and all of them are heard in order', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const other = await world.conversation(await world.visitor(desk));
      await passed(world);
      silence();
      const expected: string[] = [];
      const writer = await transactions.begin();
      for (const { id } of [conversation, other, conversation]) expected.push(...(await copyEvents(writer, PAGE, id)));
      const read = jest.spyOn(world.app.app.get(Sql), 'rows');
      try {
        await transactions.end(writer);
        await passed(world);
        const pages = await Promise.all(read.mock.results.map(async ({ value }) => (await value) as object[]));
        const sizes = pages.filter(([row]) => row && 'payload' in row).map(rows => rows.length);
        expect(sizes).toEqual([PAGE, PAGE, PAGE]);
      } finally {
        read.mockRestore();
      }
      await inbox.next('message.created', ({ id }) => id === expected.at(-1), SOON_MS);
      await inbox.settled();
      const wanted = new Set(expected);
      expect(inbox.frames.map(({ id }) => id ?? '').filter(id => wanted.has(id))).toEqual(expected);
    });

    it('order holds across pages where a conversation’s later event has the earlier transaction number', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const other = await world.conversation(await world.visitor(desk));
      await passed(world);
      const [first, second] = [newId(), newId()];
      const waiting = await transactions.begin();
      const bystander = await transactions.begin();
      const holding = await transactions.begin();
      await copyEvent(holding, first, conversation.id);
      await transactions.end(holding);
      const between = await copyEvents(waiting, PAGE + 1, other.id);
      await copyEvent(waiting, second, conversation.id);
      await transactions.end(waiting);
      await inbox.next('message.created', ({ id }) => id === second, SOON_MS);
      await transactions.end(bystander);
      await passed(world);
      await inbox.settled();
      expect(said(inbox).map(({ id }) => id)).toEqual([first, second]);
      expect(said(inbox, other.id).flatMap(({ id }) => (between.includes(id ?? '') ? [id] : []))).toEqual(between);
    });

    it('a transaction that somebody leaves open delays no event of others', async () => {
      const inbox = await world.agentSocket(desk.owner);
      silence();
      await transactions.begin();
      const committed = performance.now();
      await say('First.');
      await say('Second.');
      await heard(inbox, 3);
      expect(performance.now() - committed).toBeLessThan(SOON_MS);
      for (let index = 0; index < 3; index += 1) await tail.catchUp();
      await inbox.settled();
      expect(seqs(said(inbox))).toEqual([2, 3]);
    });

    it('while a transaction is left open, the log is not read again from where that began', async () => {
      await transactions.begin();
      const writer = await transactions.begin();
      await copyEvents(writer, PAGE, conversation.id);
      await transactions.end(writer);
      await passed(world);
      const [first, rows] = [jest.spyOn(world.app.app.get(Sql), 'first'), jest.spyOn(world.app.app.get(Sql), 'rows')];
      await passed(world);
      const looks = await Promise.all(first.mock.results.map(async ({ value }) => (await value) as object));
      expect(looks).toEqual([expect.objectContaining({ ahead: [], late: [] })]);
      expect(rows.mock.calls).toEqual([]);
      for (const spy of [first, rows]) spy.mockRestore();
    });

    it('what a transaction wrote that was open for long comes when it commits, after what was committed meanwhile', async () => {
      const inbox = await world.agentSocket(desk.owner);
      silence();
      const other = await world.conversation(await world.visitor(desk));
      const late = newId();
      const held = await transactions.begin();
      await copyEvent(held, late, other.id);
      await say('Meanwhile.');
      await heard(inbox, 2);
      await transactions.end(held);
      await inbox.next('message.created', ({ id }) => id === late, SOON_MS);
      await passed(world);
      await inbox.settled();
      expect(inbox.frames.filter(({ id }) => id === late)).toHaveLength(1);
      expect(seqs(said(inbox))).toEqual([2]);
    });
  });

  describe('with the fast path', () => {
    it('nothing comes twice, however often the log is read meanwhile', async () => {
      const [inbox, page] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
      const sending = Promise.all(through(1, 40).map(number => say(`Message ${number}.`)));
      for (let index = 0; index < 40; index += 1) await Promise.all([tail.catchUp(), tail.catchUp()]);
      await sending;
      for (const socket of [inbox, page]) await heard(socket, 41);
      await passed(world);
      for (const socket of [inbox, page]) {
        await socket.settled();
        expect(seqs(said(socket))).toEqual(through(2, 41));
      }
    });

    it('what it brought is not read from the log again', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const reading = jest.spyOn(world.app.app.get(EventTailRepository), 'read');
      await Promise.all(through(1, 20).map(number => say(`Message ${number}.`)));
      await heard(inbox, 21);
      await passed(world);
      expect(reading.mock.calls.flatMap(([keys]) => keys)).toEqual([]);
      reading.mockRestore();
      expect(seqs(said(inbox))).toEqual(through(2, 21));
    });

    it('an event that another process made up is forgotten, and its cursor is refused', async () => {
      const inbox = await world.agentSocket(desk.owner);
      await say('True.');
      const [event] = await database.query<{ id: string }>(
        'SELECT id FROM event WHERE conversation_id = $1 ORDER BY position DESC LIMIT 1',
        [conversation.id],
      );
      const published: Record<string, unknown>[] = [];
      intercept((body, pass) => {
        published.push(body as Record<string, unknown>);
        pass(body);
      });
      await say('True, too.');
      await heard(inbox, 3);
      const invalid = jest.spyOn(world.app.app.get(InvalidData), 'record');
      const forged = {
        ...published[0],
        id: newId(),
        xid: '9000000000000000000',
        previous: { id: event?.id, xid: '3' },
      };
      world.app.app.get(Fanout).publish(COMMITTED_EVENTS, { ...forged, previous: null });
      const { cursor } = await inbox.next('message.created', ({ id }) => id === forged.id);
      for (let look = 0; look < 2; look += 1) await passed(world);
      expect(invalid.mock.calls).toEqual([['events', 'an event that the log does not have']]);
      invalid.mockRestore();
      await say('True again.');
      const { cursor: after } = await heard(inbox, 4);
      expect(await resumed(after ?? '')).toBe('resumed');
      expect(await resumed(cursor ?? '')).toBe('sync.required');
    });

    /** How an inbox that comes back with the cursor is answered. */
    async function resumed(after: string): Promise<string> {
      const socket = await world.agentSocket(desk.owner, { after });
      const answered = () => socket.frames.find(({ type }) => type === 'resumed' || type === 'sync.required');
      const { type } = await eventually(answered);
      await socket.close();
      return type;
    }

    it('an event that is published again is not heard again', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const events: unknown[] = [];
      intercept((event, pass) => {
        events.push(event);
        pass(event);
        pass(event);
      });
      await say('Once.');
      await heard(inbox, 2);
      await passed(world);
      restoreFanout();
      for (const event of events) world.app.app.get(Fanout).publish(COMMITTED_EVENTS, event);
      await inbox.settled();
      expect(seqs(said(inbox))).toEqual([2]);
    });

    it('a transaction that is left open holds nobody up; only the cursor waits', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const held = await transactions.begin();
      await say('At once.');
      const first = await inbox.next('message.created', undefined, 500);
      await tail.catchUp();
      await tail.catchUp();
      await say('At once, too.');
      await heard(inbox, 3);
      for (let index = 0; index < 2; index += 1) await tail.catchUp();
      await say('At once, as ever.');
      await heard(inbox, 4);
      expect(horizonOf(said(inbox).at(-1)?.cursor ?? '')).toBe(horizonOf(said(inbox).at(-2)?.cursor ?? ''));
      await transactions.end(held);
      await passed(world);
      await say('And now.');
      const last = await heard(inbox, 5);
      expect(horizonOf(last.cursor ?? '')).toBeGreaterThan(horizonOf(first.cursor ?? ''));
      expect(seqs(said(inbox))).toEqual([2, 3, 4, 5]);
    });

    it('an event of a transaction that began early and commits late is not overtaken for good', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const other = await world.conversation(await world.visitor(desk));
      const late = newId();
      const held = await transactions.begin();
      await copyEvent(held, late, other.id);
      for (let index = 0; index < 5; index += 1) {
        await say(`Overtaking ${index}.`);
        await tail.catchUp();
      }
      await heard(inbox, 6);
      await transactions.end(held);
      await inbox.next('message.created', ({ id }) => id === late, SOON_MS);
      await passed(world);
      await inbox.settled();
      expect(inbox.frames.filter(({ id }) => id === late).length).toBe(1);
      expect(seqs(said(inbox))).toEqual(through(2, 6));
    });

    it('what was rolled back is never read', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const undone = newId();
      const held = await transactions.begin();
      await copyEvent(held, undone, conversation.id);
      await transactions.end(held, 'ROLLBACK');
      await say('Kept.');
      await heard(inbox, 2);
      await passed(world);
      await inbox.settled();
      expect(inbox.frames.filter(({ id }) => id === undone)).toEqual([]);
    });

    it('a listener that throws keeps nobody from hearing', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const after: string[] = [];
      tail.listen(() => {
        throw new Error('a listener of the test’s own');
      });
      tail.listen(({ type }) => after.push(type));
      await say('Loud.');
      await say('And clear.');
      await heard(inbox, 3);
      expect(after.filter(type => type === 'message.created').length).toBe(2);
    });
  });

  describe('with a fast path that loses and shuffles', () => {
    it('one lost publish in three changes neither order nor number', async () => {
      const [inbox, page] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
      let count = 0;
      intercept((event, pass) => {
        count += 1;
        if (count % 3) pass(event);
      });
      for (const number of through(1, 12)) await say(`Message ${number}.`);
      for (const socket of [inbox, page]) {
        await heard(socket, 13);
        expect(seqs(said(socket))).toEqual(through(2, 13));
      }
      await passed(world);
      await inbox.settled();
      expect(seqs(said(inbox))).toEqual(through(2, 13));
    });

    it('what arrives out of its turn waits for its turn, not for the log', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const nothing = jest.spyOn(tail, 'catchUp').mockResolvedValue(); // comes by the log
      const early: unknown[] = [];
      intercept((event, pass) => {
        early.push(event);
        if (early.length === 3) for (const late of early.splice(0).reverse()) pass(late);
      });
      for (const number of through(1, 6)) await say(`Message ${number}.`);
      await heard(inbox, 7);
      expect(seqs(said(inbox))).toEqual(through(2, 7));
      nothing.mockRestore();
      await passed(world);
      await inbox.settled();
      expect(seqs(said(inbox))).toEqual(through(2, 7));
    });

    it('a lost publish holds up its own conversation alone', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const other = await world.conversation(await world.visitor(desk));
      const nothing = jest.spyOn(tail, 'catchUp').mockResolvedValue(); // comes by the log
      let lost = 0;
      intercept((event, pass) => {
        if ((event as { conversationId: string }).conversationId === other.id && lost++ === 0) return;
        pass(event);
      });
      await say('Lost on its way.', other.id);
      await say('Waits for it.', other.id);
      await say('Has nothing to wait for.');
      await heard(inbox, 2);
      expect(seqs(said(inbox, other.id)).filter(seq => seq > 1)).toEqual([]);
      nothing.mockRestore();
      await heard(inbox, 3, other.id);
      expect(seqs(said(inbox, other.id)).filter(seq => seq > 1)).toEqual([2, 3]);
    });
  });

  describe('two instances on one database without a bus', () => {
    let other: World;
    beforeAll(async () => {
      other = await World.start({}, { database });
    });
    afterAll(() => other.stop());

    it('hear each other’s messages by the log, once each and in order', async () => {
      await passed(other);
      const sockets = await Promise.all([
        world.agentSocket(desk.owner),
        other.agentSocket(desk.owner),
        world.visitorSocket(visitor),
        other.visitorSocket(visitor),
      ]);
      const there = other.as(desk.owner.token);
      for (const number of through(1, 5)) {
        await say(`here ${number}`);
        await say(`there ${number}`, conversation.id, there);
      }
      const committed = performance.now();
      for (const socket of sockets) await heard(socket, 11);
      expect(performance.now() - committed).toBeLessThan(SOON_MS);
      await Promise.all([passed(world), passed(other)]);
      for (const socket of sockets) {
        await socket.settled();
        expect(seqs(said(socket))).toEqual(through(2, 11));
      }
    });

    it('hear each other within two seconds while somebody leaves a transaction open', async () => {
      await passed(other);
      await transactions.begin();
      const inbox = await other.agentSocket(desk.owner);
      const committed = performance.now();
      for (const number of through(1, 5)) await say(`here ${number}`);
      await heard(inbox, 6);
      expect(performance.now() - committed).toBeLessThan(2 * SOON_MS);
      await passed(other);
      await inbox.settled();
      expect(seqs(said(inbox))).toEqual(through(2, 6));
    });

    it('also those of a conversation that begins on the other one', async () => {
      const guest = await world.visitor(desk);
      const page = await world.visitorSocket(guest);
      const begun = await other.as(guest.token).post('/v1/widget/conversations', { message: { content: 'Hello?' } });
      await heard(page, 1, begun.data.conversation.id);
      expect(page.frames.map(({ type }) => type)).toEqual(['connected', 'conversation.created', 'message.created']);
    });

    it('a sign-out at one closes the sockets at the other', async () => {
      const agent = await world.colleague(desk);
      const socket = await other.agentSocket(agent);
      await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
      expect((await socket.end(SOON_MS)).code).toBe(4502);
    });
  });
});

/** The one place that looks inside of a cursor, to tell which of two is further on. */
function horizonOf(cursor: string): bigint {
  return BigInt(Buffer.from(cursor, 'base64url').toString().split('.')[2] ?? '');
}
