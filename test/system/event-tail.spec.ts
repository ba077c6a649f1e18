import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Client } from 'pg';
import { newId } from '../../src/kernel/ids.js';
import { SqlService } from '../../src/platform/database/sql.service.js';
import { COMMITTED_EVENTS } from '../../src/platform/events/event-log.service.js';
import { EventTailJob } from '../../src/platform/events/event-tail.job.js';
import { EventTailRepository } from '../../src/platform/events/event-tail.repository.js';
import type { MemoryFanout } from '../../src/platform/fanout/fanout.memory.js';
import { Fanout } from '../../src/platform/fanout/fanout.js';
import { InvalidDataService } from '../../src/platform/redis/invalid-data.service.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { OpenTransactions } from '../support/open-transactions.js';
import type { Frame, TestSocket } from '../support/socket.js';
import type { Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

/** Time within which the log alone delivers an event. The tail reads the log four times a second. */
const MAX_DELAY_MS = 2_500;
/** Maximum number of events that the tail loads at once. */
const PAGE_SIZE = 200;

type Publish = (subject: string, body: unknown) => void;

describe('The event log', () => {
  let database: TestDatabase;
  let world: World;
  let tail: EventTailJob;
  let desk: Desk;
  let visitor: Visitor;
  let conversation: { id: string };
  let restoreFanout: () => void = () => undefined;
  const transactions = new OpenTransactions(() => database.url);
  beforeAll(async () => {
    world = await World.start({}, { alone: true });
    database = world.app.database;
    tail = world.app.app.get(EventTailJob);
  });
  afterAll(async () => {
    await world.stop();
  });
  afterEach(async () => {
    restoreFanout();
    await transactions.endAll();
  });
  beforeEach(async () => {
    desk = await world.register();
    visitor = await world.visitor(desk);
    conversation = await world.conversation(visitor);
    await catchUp(world);
  });

  /** Replaces the publishing of committed events on the fast path. `forward` publishes an event as usual. */
  function interceptFastPath(handler: (event: unknown, forward: (event: unknown) => void) => void): void {
    const fanout = world.app.app.get(Fanout);
    const real = Object.getPrototypeOf(fanout) as { publish: Publish };
    const forward = (event: unknown) => real.publish.call(fanout, COMMITTED_EVENTS, event);
    fanout.publish = (subject, body) =>
      subject === COMMITTED_EVENTS ? handler(body, forward) : real.publish.call(fanout, subject, body);
    restoreFanout = () => Reflect.deleteProperty(fanout, 'publish');
  }

  /** @returns the events that the service publishes from now on */
  function recordPublished(): Record<string, unknown>[] {
    const published: Record<string, unknown>[] = [];
    interceptFastPath((body, forward) => {
      published.push(body as Record<string, unknown>);
      forward(body);
    });
    return published;
  }

  /** Receives an event as if another process had published it. */
  const receive = (event: object) => {
    const fanout = world.app.app.get(Fanout) as MemoryFanout;
    fanout.receive(COMMITTED_EVENTS, event, () => undefined);
  };

  const muteFastPath = () => interceptFastPath(() => undefined);

  /** Resolves when the tail has read everything committed so far. */
  const catchUp = (reader: World) => reader.app.app.get(EventTailJob).catchUp();

  /** Records an event as a service would: a copy of the conversation's first message. */
  async function copyEvent(client: Client, id: string, conversationId: string): Promise<void> {
    await client.query(
      `INSERT INTO event (id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version)
       SELECT $1, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version
       FROM event WHERE conversation_id = $2 AND type = 'message.created' ORDER BY position LIMIT 1`,
      [id, conversationId],
    );
  }

  /** Records `count` such events. @returns their ids, in the order of the log */
  async function copyEvents(client: Client, count: number, conversationId: string): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId());
    for (const id of ids) await copyEvent(client, id, conversationId);
    return ids;
  }

  const sendMessage = async (content: string, id = conversation.id, by = desk.owner.api) =>
    (await by.post(`/v1/conversations/${id}/messages`, { content })).data;

  const messageFrames = (socket: TestSocket, id = conversation.id) =>
    socket.of('message.created').filter(frame => frame.conversation_id === id);
  const seqs = (frames: Frame[]) => frames.map(({ data }) => data.message.seq as number);
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_nothing, index) => from + index);
  const nextMessage = (socket: TestSocket, seq: number, id = conversation.id) =>
    socket.next('message.created', frame => frame.conversation_id === id && frame.data.message.seq === seq, 10_000);

  it('A cursor is opaque text: clients cannot read the log’s identity or watermark from it', async () => {
    const inbox = await world.agentSocket(desk.owner);
    await sendMessage('Hello.');
    const { cursor } = await inbox.next('message.created');
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{10,}$/);
    expect(inbox.frames[0]?.data.cursor).toMatch(/^[A-Za-z0-9_-]{10,}$/);
  });

  it('The cursor of a socket never moves back, and a new socket starts at the current end of the log', async () => {
    const inbox = await world.agentSocket(desk.owner);
    const cursorsOf = (socket: TestSocket) =>
      socket.frames.flatMap(({ cursor, data }) => cursor ?? (data?.cursor as string) ?? []);
    // a watermark waits for older transactions of the whole PostgreSQL cluster
    await eventually(async () => {
      await sendMessage('Another one.');
      await catchUp(world);
      return new Set(cursorsOf(inbox).map(watermarkOf)).size > 3 || undefined;
    }, 20_000);
    const late = await world.agentSocket(desk.owner);
    const cursors = [...cursorsOf(inbox), ...cursorsOf(late)];
    const watermarks = cursors.map(watermarkOf);
    expect(watermarks).toEqual([...watermarks].sort((a, b) => Number(a - b)));
  });

  describe('Delivery through the log alone', () => {
    it('The log alone delivers every committed event within two seconds, once, in order per conversation', async () => {
      const guests = await Promise.all([1, 2, 3].map(() => world.visitor(desk)));
      const conversations = await Promise.all(guests.map(guest => world.conversation(guest)));
      await catchUp(world);
      const inbox = await world.agentSocket(desk.owner);
      const pages = await Promise.all(guests.map(guest => world.visitorSocket(guest)));
      muteFastPath();
      await Promise.all(
        conversations.flatMap(({ id }, index) => {
          const path = `/v1/widget/conversations/${id}/messages`;
          const guest = guests[index] ?? visitor;
          const answers = range(1, 10).map(number => sendMessage(`agent ${number}`, id));
          const questions = range(1, 10).map(number => guest.api.post(path, { content: `visitor ${number}` }));
          return [Promise.all(answers), Promise.all(questions)];
        }),
      );
      for (const { id } of conversations) await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
      const committed = performance.now();
      for (const { id } of conversations) await nextMessage(inbox, 22, id);
      for (const [index, page] of pages.entries()) await nextMessage(page, 22, conversations[index]?.id);
      expect(performance.now() - committed).toBeLessThan(MAX_DELAY_MS);
      for (const [index, { id }] of conversations.entries()) {
        const recorded = await database.query<{ id: string }>(
          'SELECT id FROM event WHERE conversation_id = $1 ORDER BY position OFFSET 2',
          [id],
        );
        expect(recorded.length).toBe(22);
        for (const socket of [inbox, pages[index]]) {
          const frames = socket?.frames.filter(frame => frame.conversation_id === id) ?? [];
          expect(frames.map(frame => frame.id)).toEqual(recorded.map(event => event.id));
          expect(seqs(frames.filter(({ type }) => type === 'message.created'))).toEqual(range(2, 22));
        }
      }
    });

    it('Without the fast path, a sign-out closes the session’s sockets within two seconds', async () => {
      const agent = await world.hire(desk);
      const socket = await world.agentSocket(agent);
      muteFastPath();
      await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
      expect((await socket.end(MAX_DELAY_MS)).code).toBe(4502);
    });

    it('No event is lost when PostgreSQL terminates all connections of the service', async () => {
      const inbox = await world.agentSocket(desk.owner);
      muteFastPath();
      await sendMessage('Before.');
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await eventually(async () => ((await sendMessage('After.')) ? true : undefined));
      await nextMessage(inbox, 3);
      expect(seqs(messageFrames(inbox))).toEqual([2, 3]);
    });

    it('Events of a conversation arrive in order even if the later one has the lower transaction number', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const [first, second] = [newId(), newId()];
      // Transaction numbers are drawn in this order, so the writer that commits second has the lowest number.
      const secondWriter = await transactions.begin();
      const bystander = await transactions.begin();
      const firstWriter = await transactions.begin();
      await copyEvent(firstWriter, first, conversation.id);
      await transactions.end(firstWriter);
      await copyEvent(secondWriter, second, conversation.id);
      await transactions.end(secondWriter);
      await inbox.next('message.created', ({ id }) => id === second, MAX_DELAY_MS);
      await transactions.end(bystander);
      await catchUp(world);
      await inbox.settled();
      expect(messageFrames(inbox).map(({ id }) => id)).toEqual([first, second]);
    });

    it('Six hundred events of one transaction are read in pages of 200 and delivered in order', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const other = await world.conversation(await world.visitor(desk));
      await catchUp(world);
      muteFastPath();
      const expected: string[] = [];
      const writer = await transactions.begin();
      for (const { id } of [conversation, other, conversation])
        expected.push(...(await copyEvents(writer, PAGE_SIZE, id)));
      const read = jest.spyOn(world.app.app.get(SqlService), 'rows');
      try {
        await transactions.end(writer);
        await catchUp(world);
        const pages = await Promise.all(read.mock.results.map(async ({ value }) => (await value) as object[]));
        // consumers read the log too, with the origin of each event
        const sizes = pages
          .filter(([row]) => row && 'payload' in row && !('user_agent' in row))
          .map(rows => rows.length);
        expect(sizes).toEqual([PAGE_SIZE, PAGE_SIZE, PAGE_SIZE]);
      } finally {
        read.mockRestore();
      }
      await inbox.next('message.created', ({ id }) => id === expected.at(-1), MAX_DELAY_MS);
      await inbox.settled();
      const expectedIds = new Set(expected);
      expect(inbox.frames.map(({ id }) => id ?? '').filter(id => expectedIds.has(id))).toEqual(expected);
    });

    it('Events of a conversation arrive in order across pages even if the later one has the lower transaction number', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const other = await world.conversation(await world.visitor(desk));
      await catchUp(world);
      const [first, second] = [newId(), newId()];
      const secondWriter = await transactions.begin();
      const bystander = await transactions.begin();
      const firstWriter = await transactions.begin();
      await copyEvent(firstWriter, first, conversation.id);
      await transactions.end(firstWriter);
      const between = await copyEvents(secondWriter, PAGE_SIZE + 1, other.id);
      await copyEvent(secondWriter, second, conversation.id);
      await transactions.end(secondWriter);
      await inbox.next('message.created', ({ id }) => id === second, MAX_DELAY_MS);
      await transactions.end(bystander);
      await catchUp(world);
      await inbox.settled();
      expect(messageFrames(inbox).map(({ id }) => id)).toEqual([first, second]);
      expect(messageFrames(inbox, other.id).flatMap(({ id }) => (between.includes(id ?? '') ? [id] : []))).toEqual(
        between,
      );
    });

    it('Without the fast path, an open transaction delays no event of other transactions', async () => {
      const inbox = await world.agentSocket(desk.owner);
      muteFastPath();
      await transactions.begin();
      const committed = performance.now();
      await sendMessage('First.');
      await sendMessage('Second.');
      await nextMessage(inbox, 3);
      expect(performance.now() - committed).toBeLessThan(MAX_DELAY_MS);
      for (let index = 0; index < 3; index += 1) await tail.catchUp();
      await inbox.settled();
      expect(seqs(messageFrames(inbox))).toEqual([2, 3]);
    });

    it('While a transaction stays open, the tail does not read the log again from where that transaction began', async () => {
      await transactions.begin();
      const writer = await transactions.begin();
      await copyEvents(writer, PAGE_SIZE, conversation.id);
      await transactions.end(writer);
      await catchUp(world);
      const [first, rows] = [
        jest.spyOn(world.app.app.get(SqlService), 'first'),
        jest.spyOn(world.app.app.get(SqlService), 'rows'),
      ];
      await catchUp(world);
      const queryResults = await Promise.all(first.mock.results.map(async ({ value }) => (await value) as object));
      const looks = queryResults.filter(row => row && 'ahead' in row);
      expect(looks.length).toBeGreaterThan(0);
      for (const look of looks) expect(look).toMatchObject({ ahead: [], late: [] });
      const pages = await Promise.all(rows.mock.results.map(async ({ value }) => (await value) as object[]));
      expect(pages.filter(([row]) => row && 'payload' in row && !('user_agent' in row))).toEqual([]);
      for (const spy of [first, rows]) spy.mockRestore();
    });

    it('An event of a long transaction is delivered when it commits, after events committed meanwhile', async () => {
      const inbox = await world.agentSocket(desk.owner);
      muteFastPath();
      const other = await world.conversation(await world.visitor(desk));
      const late = newId();
      const openTransaction = await transactions.begin();
      await copyEvent(openTransaction, late, other.id);
      await sendMessage('Meanwhile.');
      await nextMessage(inbox, 2);
      await transactions.end(openTransaction);
      await inbox.next('message.created', ({ id }) => id === late, MAX_DELAY_MS);
      await catchUp(world);
      await inbox.settled();
      expect(inbox.frames.filter(({ id }) => id === late)).toHaveLength(1);
      expect(seqs(messageFrames(inbox))).toEqual([2]);
    });
  });

  describe('Delivery with the fast path', () => {
    it('Each message is delivered once, however often the tail reads the log meanwhile', async () => {
      const [inbox, page] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
      const sending = Promise.all(range(1, 40).map(number => sendMessage(`Message ${number}.`)));
      for (let index = 0; index < 40; index += 1) await Promise.all([tail.catchUp(), tail.catchUp()]);
      await sending;
      for (const socket of [inbox, page]) await nextMessage(socket, 41);
      await catchUp(world);
      for (const socket of [inbox, page]) {
        await socket.settled();
        expect(seqs(messageFrames(socket))).toEqual(range(2, 41));
      }
    });

    it('The tail does not read events from the log that the fast path has delivered', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const log = world.app.app.get(EventTailRepository);
      const reading = jest.spyOn(log, 'read');
      // Otherwise the tail might find an event between its commit and its delivery.
      const look = log.look.bind(log);
      let lookAgain: () => void = () => undefined;
      const delivered = new Promise<void>(resolve => (lookAgain = resolve));
      const looking = jest.spyOn(log, 'look').mockImplementation(async (...marks) => {
        await delivered;
        return look(...marks);
      });
      await eventually(() => looking.mock.calls.length > 0 || undefined);
      await Promise.all(range(1, 20).map(number => sendMessage(`Message ${number}.`)));
      await nextMessage(inbox, 21);
      lookAgain();
      await catchUp(world);
      expect(reading.mock.calls.flatMap(([keys]) => keys)).toEqual([]);
      jest.restoreAllMocks();
      expect(seqs(messageFrames(inbox))).toEqual(range(2, 21));
    });

    it('Sockets get sync.required when the database comes back without an event that they had received but the service had not yet read.', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const look = jest.spyOn(world.app.app.get(EventTailRepository), 'look');
      look.mockRejectedValue(new Error('no connection'));
      await eventually(() => look.mock.calls.length > 1 || undefined);
      await sendMessage('Lost.');
      const { id } = await nextMessage(inbox, 2);
      await database.query('DELETE FROM event WHERE id = $1', [id]);
      look.mockRestore();
      expect((await inbox.next('sync.required')).data).toEqual({ reason: 'epoch' });
    });

    it('An event on the bus that the log does not have is reported, and its cursor cannot be resumed from', async () => {
      const inbox = await world.agentSocket(desk.owner);
      await sendMessage('True.');
      const [event] = await database.query<{ id: string }>(
        'SELECT id FROM event WHERE conversation_id = $1 ORDER BY position DESC LIMIT 1',
        [conversation.id],
      );
      const published = recordPublished();
      await sendMessage('True, too.');
      await nextMessage(inbox, 3);
      const invalid = jest.spyOn(world.app.app.get(InvalidDataService), 'record');
      const forged = {
        ...published[0],
        id: newId(),
        xid: '9000000000000000000',
        previous: { id: event?.id, xid: '3' },
      };
      receive({ ...forged, previous: null });
      const { cursor } = await inbox.next('message.created', ({ id }) => id === forged.id);
      for (let look = 0; look < 2; look += 1) await catchUp(world);
      expect(invalid.mock.calls).toEqual([['events', 'an event that the log does not have']]);
      invalid.mockRestore();
      await sendMessage('True again.');
      const { cursor: after } = await nextMessage(inbox, 4);
      expect(await resumeResult(after ?? '')).toBe('resumed');
      expect(await resumeResult(cursor ?? '')).toBe('sync.required');
    });

    it('An event on the bus that the log does not have ends no epoch, even if the log could not be read meanwhile', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const published = recordPublished();
      await sendMessage('True.');
      await nextMessage(inbox, 2);
      await catchUp(world);
      const look = jest.spyOn(world.app.app.get(EventTailRepository), 'look');
      look.mockRejectedValue(new Error('no connection'));
      await eventually(() => look.mock.calls.length > 1 || undefined);
      const position = '9000000000000000000';
      const forged = { ...published[0], id: newId(), xid: position, position, previous: null };
      receive(forged);
      await inbox.next('message.created', ({ id }) => id === forged.id);
      look.mockRestore();
      await catchUp(world);
      await sendMessage('True again.');
      await nextMessage(inbox, 3);
      expect(inbox.of('sync.required')).toEqual([]);
    });

    /** @returns the type of the frame that answers an attempt to resume from the cursor */
    async function resumeResult(after: string): Promise<string> {
      const socket = await world.agentSocket(desk.owner, { after });
      const answered = () => socket.frames.find(({ type }) => type === 'resumed' || type === 'sync.required');
      const { type } = await eventually(answered);
      await socket.close();
      return type;
    }

    it('An event that is published twice is delivered once', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const events: unknown[] = [];
      interceptFastPath((event, forward) => {
        events.push(event);
        forward(event);
        forward(event);
      });
      await sendMessage('Once.');
      await nextMessage(inbox, 2);
      await catchUp(world);
      restoreFanout();
      for (const event of events) world.app.app.get(Fanout).publish(COMMITTED_EVENTS, event);
      await inbox.settled();
      expect(seqs(messageFrames(inbox))).toEqual([2]);
    });

    it('An open transaction delays only the cursor, not the delivery of messages', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const openTransaction = await transactions.begin();
      await sendMessage('At once.');
      const first = await inbox.next('message.created', undefined, 500);
      await tail.catchUp();
      await tail.catchUp();
      await sendMessage('At once, too.');
      await nextMessage(inbox, 3);
      for (let index = 0; index < 2; index += 1) await tail.catchUp();
      await sendMessage('At once, as ever.');
      await nextMessage(inbox, 4);
      expect(watermarkOf(messageFrames(inbox).at(-1)?.cursor ?? '')).toBe(
        watermarkOf(messageFrames(inbox).at(-2)?.cursor ?? ''),
      );
      await transactions.end(openTransaction);
      await catchUp(world);
      await sendMessage('And now.');
      const last = await nextMessage(inbox, 5);
      expect(watermarkOf(last.cursor ?? '')).toBeGreaterThan(watermarkOf(first.cursor ?? ''));
      expect(seqs(messageFrames(inbox))).toEqual([2, 3, 4, 5]);
    });

    it('An event of a transaction that began early and commits late is still delivered', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const other = await world.conversation(await world.visitor(desk));
      const late = newId();
      const openTransaction = await transactions.begin();
      await copyEvent(openTransaction, late, other.id);
      for (let index = 0; index < 5; index += 1) {
        await sendMessage(`Overtaking ${index}.`);
        await tail.catchUp();
      }
      await nextMessage(inbox, 6);
      await transactions.end(openTransaction);
      await inbox.next('message.created', ({ id }) => id === late, MAX_DELAY_MS);
      await catchUp(world);
      await inbox.settled();
      expect(inbox.frames.filter(({ id }) => id === late).length).toBe(1);
      expect(seqs(messageFrames(inbox))).toEqual(range(2, 6));
    });

    it('An event of a rolled-back transaction is never delivered', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const rolledBack = newId();
      const openTransaction = await transactions.begin();
      await copyEvent(openTransaction, rolledBack, conversation.id);
      await transactions.end(openTransaction, 'ROLLBACK');
      await sendMessage('Kept.');
      await nextMessage(inbox, 2);
      await catchUp(world);
      await inbox.settled();
      expect(inbox.frames.filter(({ id }) => id === rolledBack)).toEqual([]);
    });

    it('A listener that throws does not keep other listeners and sockets from receiving events', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const after: string[] = [];
      tail.listen(() => {
        throw new Error('this listener fails');
      });
      tail.listen(({ type }) => after.push(type));
      await sendMessage('Loud.');
      await sendMessage('And clear.');
      await nextMessage(inbox, 3);
      expect(after.filter(type => type === 'message.created').length).toBe(2);
    });
  });

  describe('Delivery with a fast path that loses and reorders events', () => {
    it('Messages arrive once and in order when every third publish is lost', async () => {
      const [inbox, page] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
      let count = 0;
      interceptFastPath((event, forward) => {
        count += 1;
        if (count % 3) forward(event);
      });
      for (const number of range(1, 12)) await sendMessage(`Message ${number}.`);
      for (const socket of [inbox, page]) {
        await nextMessage(socket, 13);
        expect(seqs(messageFrames(socket))).toEqual(range(2, 13));
      }
      await catchUp(world);
      await inbox.settled();
      expect(seqs(messageFrames(inbox))).toEqual(range(2, 13));
    });

    it('Messages published in the wrong order are put in order without waiting for the log', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const disabledTail = jest.spyOn(tail, 'catchUp').mockResolvedValue(); // disables the log
      const early: unknown[] = [];
      interceptFastPath((event, forward) => {
        early.push(event);
        if (early.length === 3) for (const late of early.splice(0).reverse()) forward(late);
      });
      for (const number of range(1, 6)) await sendMessage(`Message ${number}.`);
      await nextMessage(inbox, 7);
      expect(seqs(messageFrames(inbox))).toEqual(range(2, 7));
      disabledTail.mockRestore();
      await catchUp(world);
      await inbox.settled();
      expect(seqs(messageFrames(inbox))).toEqual(range(2, 7));
    });

    it('A lost publish delays only the events of its own conversation', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const other = await world.conversation(await world.visitor(desk));
      const disabledTail = jest.spyOn(tail, 'catchUp').mockResolvedValue(); // disables the log
      let lost = 0;
      interceptFastPath((event, forward) => {
        if ((event as { conversationId: string }).conversationId === other.id && lost++ === 0) return;
        forward(event);
      });
      await sendMessage('Lost on its way.', other.id);
      await sendMessage('Waits for it.', other.id);
      await sendMessage('Has nothing to wait for.');
      await nextMessage(inbox, 2);
      expect(seqs(messageFrames(inbox, other.id)).filter(seq => seq > 1)).toEqual([]);
      disabledTail.mockRestore();
      await nextMessage(inbox, 3, other.id);
      expect(seqs(messageFrames(inbox, other.id)).filter(seq => seq > 1)).toEqual([2, 3]);
    });
  });

  describe('Two instances on one database without a bus', () => {
    let other: World;
    beforeAll(async () => {
      other = await World.start({}, { database });
    });
    afterAll(() => other.stop());

    it('Without a bus, both instances deliver each other’s messages through the log, once and in order', async () => {
      await catchUp(other);
      const sockets = await Promise.all([
        world.agentSocket(desk.owner),
        other.agentSocket(desk.owner),
        world.visitorSocket(visitor),
        other.visitorSocket(visitor),
      ]);
      const there = other.as(desk.owner.token);
      for (const number of range(1, 5)) {
        await sendMessage(`here ${number}`);
        await sendMessage(`there ${number}`, conversation.id, there);
      }
      const committed = performance.now();
      for (const socket of sockets) await nextMessage(socket, 11);
      expect(performance.now() - committed).toBeLessThan(MAX_DELAY_MS);
      await Promise.all([catchUp(world), catchUp(other)]);
      for (const socket of sockets) {
        await socket.settled();
        expect(seqs(messageFrames(socket))).toEqual(range(2, 11));
      }
    });

    it('Without a bus, an open transaction does not keep an instance from delivering the other one’s messages', async () => {
      await catchUp(other);
      await transactions.begin();
      const inbox = await other.agentSocket(desk.owner);
      const committed = performance.now();
      for (const number of range(1, 5)) await sendMessage(`here ${number}`);
      await nextMessage(inbox, 6);
      expect(performance.now() - committed).toBeLessThan(2 * MAX_DELAY_MS);
      await catchUp(other);
      await inbox.settled();
      expect(seqs(messageFrames(inbox))).toEqual(range(2, 6));
    });

    it('Without a bus, a visitor receives a conversation that was started on the other instance', async () => {
      const guest = await world.visitor(desk);
      const page = await world.visitorSocket(guest);
      const begun = await other.as(guest.token).post('/v1/widget/conversations', { message: { content: 'Hello?' } });
      await nextMessage(page, 1, begun.data.conversation.id);
      expect(page.frames.map(({ type }) => type)).toEqual(['connected', 'conversation.created', 'message.created']);
    });

    it('Without a bus, a sign-out on one instance closes the session’s sockets on the other', async () => {
      const agent = await world.hire(desk);
      const socket = await other.agentSocket(agent);
      await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
      expect((await socket.end(MAX_DELAY_MS)).code).toBe(4502);
    });
  });
});

/** Reads the watermark out of a cursor, to compare two cursors. Only this test looks inside a cursor. */
function watermarkOf(cursor: string): bigint {
  return BigInt(Buffer.from(cursor, 'base64url').toString().split('.')[2] ?? '');
}
