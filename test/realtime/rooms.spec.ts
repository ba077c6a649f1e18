import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { eventually } from '../support/eventually.js';
import type { Frame, TestSocket } from '../support/socket.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const DURABLE = /^(message|conversation|contact|member|channel|canned_response|workspace)\./;

/** @returns the event frames that the socket has received, in order, including all sent before the call */
async function eventFrames(socket: TestSocket): Promise<Frame[]> {
  await socket.settled();
  return socket.frames.filter(({ type }) => DURABLE.test(type));
}

const typesOf = (frames: Frame[]) => frames.map(({ type }) => type);
const contents = (frames: Frame[]) =>
  frames.filter(({ type }) => type === 'message.created').map(({ data }) => data.message.content as string | null);

describe('Rooms', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  /** Creates a conversation and opens a socket of every kind on it. */
  async function openConversation(): Promise<{
    desk: Desk;
    visitor: Visitor;
    conversation: { id: string };
    path: string;
    inbox: TestSocket;
    room: TestSocket;
    page: TestSocket;
    conv: TestSocket;
  }> {
    const desk = await world.desk();
    const visitor = await world.visitor(desk, { name: 'Vera Visitor' });
    const conversation: { id: string } = await world.conversation(visitor);
    const [inbox, room, page, conv] = await Promise.all([
      world.agentSocket(desk.owner),
      world.agentSocket(desk.owner, { room: conversation.id }),
      world.visitorSocket(visitor),
      world.visitorSocket(visitor, { conv: conversation.id }),
    ]);
    return { desk, visitor, conversation, path: `/v1/conversations/${conversation.id}`, inbox, room, page, conv };
  }

  /** A visitor on a channel where a contact may have several conversations. */
  async function visitorWithManyConversations(desk: Desk): Promise<{ visitor: Visitor; channelId: string }> {
    const channel = await world.channel(desk, { single_conversation: false });
    const visitor = await world.visitor({ widgetToken: channel.widget_token });
    return { visitor, channelId: channel.id };
  }

  describe('The shared inbox', () => {
    it('An inbox socket receives events of every conversation of the workspace, including later ones', async () => {
      const desk = await world.desk();
      const [earlier, later] = [await world.visitor(desk), await world.visitor(desk)];
      const first = await world.conversation(earlier, 'Before.');
      const inbox = await world.agentSocket(desk.owner);
      await earlier.api.post(`/v1/widget/conversations/${first.id}/messages`, { content: 'I am still here.' });
      const second = await world.conversation(later, 'And I am new.');
      const frames = await eventFrames(inbox);
      expect(frames.map(({ type, conversation_id }) => [type, conversation_id])).toEqual([
        ['message.created', first.id],
        ['conversation.created', second.id],
        ['message.created', second.id],
      ]);
    });

    it('The conversation.created frame of an inbox has the contact', async () => {
      const desk = await world.desk();
      const inbox = await world.agentSocket(desk.owner);
      const visitor = await world.visitor(desk, { name: 'Vera Visitor', email: 'vera@example.com' });
      const { id } = await world.conversation(visitor);
      const { data } = await inbox.next('conversation.created');
      const read = await desk.owner.api.get(`/v1/conversations/${id}`);
      expect(data.contact).toEqual(read.data.contact);
      expect(data.contact).toMatchObject({ id: visitor.contactId, name: 'Vera Visitor' });
      expect(data.conversation).toMatchObject({ id, status: 'open', workspace_id: desk.workspaceId, last_seq: 0 });
    });
  });

  describe('A conversation’s room', () => {
    it('A conversation’s socket receives events of that conversation only', async () => {
      const { desk, path, room, visitor } = await openConversation();
      const other = await world.conversation(await world.visitor(desk), 'Somebody else.');
      await desk.owner.api.post(`/v1/conversations/${other.id}/messages`, { content: 'To somebody else.' });
      await desk.owner.api.patch('/v1/workspace', { name: unique('Renamed') });
      await desk.owner.api.post(`${path}/messages`, { content: 'Hello!' });
      await visitor.api.post(`/v1/widget/${path.slice(4)}/messages`, { content: 'Hello again!' });
      await desk.owner.api.patch(path, { priority: 'high' });
      await desk.owner.api.post(`${path}/read`, { seq: 3 });
      expect(typesOf(await eventFrames(room))).toEqual([
        'message.created',
        'message.created',
        'conversation.updated',
        'conversation.read',
      ]);
      expect(
        room.frames.every(
          frame => frame.type === 'connected' || frame.type === 'pong' || path.endsWith(frame.conversation_id ?? ''),
        ),
      ).toBe(true);
    });
  });

  describe('A visitor’s own room', () => {
    it('A visitor without a conversation receives conversation.created before its first message', async () => {
      const desk = await world.desk();
      const visitor = await world.visitor(desk);
      const page = await world.visitorSocket(visitor);
      const { id } = await world.conversation(visitor, 'First words.');
      const frames = await eventFrames(page);
      expect(frames.map(({ type, conversation_id }) => [type, conversation_id])).toEqual([
        ['conversation.created', id],
        ['message.created', id],
      ]);
      await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'An answer.' });
      expect(contents(await eventFrames(page))).toEqual(['First words.', 'An answer.']);
    });

    it('A visitor receives a conversation that an agent starts', async () => {
      const desk = await world.desk();
      const visitor = await world.visitor(desk);
      const page = await world.visitorSocket(visitor);
      const begun = await desk.owner.api.post('/v1/conversations', {
        contact_id: visitor.contactId,
        channel_id: desk.channelId,
        message: { content: 'May I help you?' },
      });
      expect(begun.status).toBe(201);
      const frames = await eventFrames(page);
      expect(typesOf(frames)).toEqual(['conversation.created', 'message.created']);
      expect(frames[0]?.data.conversation.id).toBe(begun.data.id);
      expect(contents(frames)).toEqual(['May I help you?']);
    });

    it('A visitor receives later conversations, beside the first or after the reopen window', async () => {
      const desk = await world.desk();
      const { visitor } = await visitorWithManyConversations(desk);
      const page = await world.visitorSocket(visitor);
      const first = await world.conversation(visitor, 'One.');
      const second = await world.conversation(visitor, 'Two.');
      await desk.owner.api.post(`/v1/conversations/${first.id}/messages`, { content: 'To the first.' });
      const frames = await eventFrames(page);
      expect(frames.map(({ type, conversation_id }) => [type, conversation_id])).toEqual([
        ['conversation.created', first.id],
        ['message.created', first.id],
        ['conversation.created', second.id],
        ['message.created', second.id],
        ['message.created', first.id],
      ]);

      await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { reopen_window_hours: 0 });
      const returning = await world.visitor(desk);
      const old = await world.conversation(returning);
      const later = await world.visitorSocket(returning);
      await desk.owner.api.post(`/v1/conversations/${old.id}/resolve`);
      const path = `/v1/widget/conversations/${old.id}/messages`;
      const message = await eventually(async () => {
        const sent = await returning.api.post(path, { content: 'It is me again.' });
        return sent.data.conversation_id === old.id ? undefined : sent.data;
      });
      const created = await later.next('conversation.created');
      expect(created.data.conversation.id).toBe(message.conversation_id);
      const types = (await eventFrames(later)).filter(frame => frame.conversation_id === message.conversation_id);
      expect(typesOf(types)).toEqual(['conversation.created', 'message.created']);
    });

    it('A visitor’s socket with conv receives events of that conversation only', async () => {
      const desk = await world.desk();
      const { visitor } = await visitorWithManyConversations(desk);
      const first = await world.conversation(visitor, 'One.');
      const conv = await world.visitorSocket(visitor, { conv: first.id });
      const second = await world.conversation(visitor, 'Two.');
      for (const { id } of [second, first]) {
        await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: `To ${id}.` });
        await desk.owner.api.post(`/v1/conversations/${id}/take`);
      }
      const frames = await eventFrames(conv);
      expect(new Set(frames.map(frame => frame.conversation_id))).toEqual(new Set([first.id]));
      expect(typesOf(frames)).toEqual(['message.created', 'conversation.updated']);
    });

    it('A visitor receives no event of another visitor’s conversation', async () => {
      const { desk, path } = await openConversation();
      const neighbour = await world.visitor(desk);
      const other = await world.conversation(neighbour);
      const sockets = [await world.visitorSocket(neighbour), await world.visitorSocket(neighbour, { conv: other.id })];
      await desk.owner.api.post(`${path}/messages`, { content: 'Not for you.' });
      for (const socket of sockets) expect(await eventFrames(socket)).toEqual([]);
    });

    it('A visitor receives conversations of its own channel only, as with its requests', async () => {
      const desk = await world.desk();
      const elsewhere = await world.channel(desk);
      const external_id = unique('site-user');
      const here = await world.visitor(desk, { external_id });
      const there = await world.visitor({ widgetToken: elsewhere.widget_token }, { external_id });
      expect(there.contactId).toBe(here.contactId);
      const page = await world.visitorSocket(here);
      const conversation = await world.conversation(there, 'On another site.');
      expect((await here.api.get(`/v1/widget/conversations/${conversation.id}`)).status).toBe(404);
      const other = await world.visitorSocket(there);
      other.send({ type: 'typing', conversation_id: conversation.id });
      await other.settled();
      expect(await eventFrames(page)).toEqual([]);
      expect(page.of('typing')).toEqual([]);
    });
  });

  describe('Scope', () => {
    it('A scoped agent receives events of its channels only', async () => {
      const desk = await world.desk();
      const [mine, theirs] = [await world.channel(desk), await world.channel(desk)];
      const scoped = await world.colleague(desk, { channel_ids: [mine.id] });
      const nowhere = await world.colleague(desk, { channel_ids: [] });
      const [all, some, none] = [
        await world.agentSocket(desk.owner),
        await world.agentSocket(scoped),
        await world.agentSocket(nowhere),
      ];
      const pages = await Promise.all(
        [mine, theirs].map(({ widget_token }) => world.visitor({ widgetToken: widget_token })),
      );
      const [here, there] = await Promise.all(pages.map(page => world.conversation(page)));
      for (const { id } of [here, there]) {
        await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'A note.', private: true });
        await desk.owner.api.post(`/v1/conversations/${id}/take`);
        await desk.owner.api.post(`/v1/conversations/${id}/read`, { seq: 1 });
      }
      for (const { id } of [mine, theirs])
        await desk.owner.api.patch(`/v1/channels/${id}`, { name: unique('Renamed') });
      const typesAbout = async (socket: TestSocket, id: string) =>
        typesOf((await eventFrames(socket)).filter(frame => frame.conversation_id === id || frame.channel_id === id));
      expect(await typesAbout(some, there.id)).toEqual([]);
      expect(await typesAbout(some, theirs.id)).toEqual([]);
      expect(await typesAbout(some, here.id)).toEqual(await typesAbout(all, here.id));
      expect(await typesAbout(some, here.id)).toContain('conversation.read');
      expect(await typesAbout(some, mine.id)).toContain('channel.updated');
      expect((await eventFrames(none)).filter(frame => frame.channel_id ?? frame.conversation_id)).toEqual([]);
    });

    it('A scoped agent receives changes of the contacts it may see once, and of no others', async () => {
      const desk = await world.desk();
      const [first, second, third] = [await world.channel(desk), await world.channel(desk), await world.channel(desk)];
      const both = await world.colleague(desk, { channel_ids: [first.id, second.id] });
      const [all, some, few] = [
        await world.agentSocket(desk.owner),
        await world.agentSocket(both),
        await world.agentSocket(await world.colleague(desk, { channel_ids: [third.id] })),
      ];
      const external_id = unique('site-user');
      const visitor = await world.visitor({ widgetToken: first.widget_token }, { external_id });
      await world.visitor({ widgetToken: second.widget_token }, { external_id });
      const page = await world.visitorSocket(visitor);
      const names = async (socket: TestSocket) =>
        (await eventFrames(socket))
          .filter(({ type }) => type === 'contact.updated')
          .map(({ data }) => data.name as string);
      const rename = (name: string, id = visitor.contactId) => desk.owner.api.patch(`/v1/contacts/${id}`, { name });

      const renamed = await rename('By an agent');
      await visitor.api.patch('/v1/widget/contact', { name: 'By herself' });
      await world.visitor({ widgetToken: first.widget_token }, { external_id, name: 'By a session' });
      const expected = ['By an agent', 'By herself', 'By a session'];
      expect(await names(all)).toEqual(expected);
      expect(await names(some)).toEqual(expected);
      expect(await names(few)).toEqual([]);
      expect(all.of('contact.updated')[0]?.data).toEqual(renamed.data);
      expect(some.of('contact.updated')[0]?.data).toEqual({ ...renamed.data, external_id: null });

      await desk.owner.api.post('/v1/conversations', { contact_id: visitor.contactId, channel_id: third.id });
      await rename('Known there too');
      for (const socket of [all, some]) expect(await names(socket)).toEqual([...expected, 'Known there too']);
      expect(await names(few)).toEqual(['Known there too']);

      const nowhere = await desk.owner.api.post('/v1/contacts', { name: 'Nowhere seen' });
      await rename('Nowhere seen yet', nowhere.data.id);
      expect((await names(all)).at(-1)).toBe('Nowhere seen yet');
      for (const socket of [some, few]) expect((await names(socket)).at(-1)).toBe('Known there too');
      expect(page.of('contact.updated')).toEqual([]);
      expect(all.of('contact.updated').map(({ channel_id }) => channel_id)).toEqual(Array(5).fill(undefined));
    });

    it('No socket receives events of another workspace', async () => {
      const [ours, theirs] = [await world.desk(), await world.desk()];
      const guest = await world.visitor(theirs);
      const sockets = [
        await world.agentSocket(theirs.owner),
        await world.agentSocket(await world.colleague(theirs, { channel_ids: [theirs.channelId] })),
        await world.visitorSocket(guest),
      ];
      const before = await Promise.all(sockets.map(async socket => (await eventFrames(socket)).length));
      const visitor = await world.visitor(ours);
      const { id } = await world.conversation(visitor);
      const path = `/v1/conversations/${id}`;
      await ours.owner.api.post(`${path}/messages`, { content: 'Ours.' });
      await ours.owner.api.post(`${path}/take`);
      const typing = await world.agentSocket(ours.owner);
      typing.send({ type: 'typing', conversation_id: id });
      await typing.settled();
      await ours.owner.api.patch('/v1/workspace', { name: unique('Renamed') });
      await ours.owner.api.post('/v1/canned-responses', { short_code: unique('hi'), title: 'Hi', content: 'Hi' });
      await world.channel(ours);
      await world.hire(ours);
      for (const [index, socket] of sockets.entries()) {
        expect((await eventFrames(socket)).length).toBe(before[index]);
        expect(socket.of('typing')).toEqual([]);
      }
    });
  });

  describe('Private notes', () => {
    it('A private note reaches agents and no visitor, whether it is sent, edited or deleted', async () => {
      const { desk, path, inbox, room, page, conv } = await openConversation();
      const note = await desk.owner.api.post(`${path}/messages`, { content: 'He is angry.', private: true });
      await desk.owner.api.patch(`${path}/messages/${note.data.id}`, { content: 'He is not.' });
      await desk.owner.api.delete(`${path}/messages/${note.data.id}`);
      for (const socket of [inbox, room]) {
        expect(typesOf(await eventFrames(socket))).toEqual(['message.created', 'message.updated', 'message.deleted']);
      }
      for (const socket of [page, conv]) expect(await eventFrames(socket)).toEqual([]);
    });

    it('A visitor’s frames after a private note have counts and previews of public messages only', async () => {
      const { desk, visitor, path, conversation, page } = await openConversation();
      await desk.owner.api.post(`${path}/messages`, { content: 'Between us.', private: true });
      await desk.owner.api.post(`${path}/take`); // Its entry in the timeline is for agents only.
      await desk.owner.api.post(`${path}/messages`, { content: 'Good morning.' });
      const answer = await page.next('message.created');
      const read = await visitor.api.get(`/v1/widget/conversations/${conversation.id}`);
      expect(answer.data.conversation).toMatchObject({
        last_seq: read.data.last_seq,
        unread: read.data.unread,
        status: 'open',
      });
      expect(answer.data.message.seq).toBe(read.data.last_seq);
      expect(JSON.stringify(page.frames)).not.toContain('Between us');
      expect(typesOf(await eventFrames(page))).toEqual(['conversation.updated', 'message.created']);
    });

    it('The agents’ read marks sent to a visitor count public messages only', async () => {
      const { desk, visitor, path, inbox, page, conv } = await openConversation();
      const note = (content: string) => desk.owner.api.post(`${path}/messages`, { content, private: true });
      const marks = async (socket: TestSocket) =>
        (await eventFrames(socket))
          .filter(({ type }) => type === 'conversation.read')
          .map(({ data }) => data.last_read_seq);
      await note('Who is she?');
      await desk.owner.api.post(`${path}/read`, { seq: 2 });
      await note('No idea.');
      await desk.owner.api.post(`${path}/read`, { seq: 3 });
      await visitor.api.post(`/v1/widget/${path.slice(4)}/messages`, { content: 'Good morning.' });
      await note('Let me see.');
      await desk.owner.api.post(`${path}/read`, { seq: 5 });
      expect(await marks(inbox)).toEqual([2, 3, 5]);
      for (const socket of [page, conv]) expect(await marks(socket)).toEqual([1, 4]);
      expect(Object.keys(page.of('conversation.read')[0]?.data ?? {}).sort()).toEqual([
        'id',
        'last_read_seq',
        'reader',
      ]);
    });

    it('A visitor’s read mark on a private note is sent back as the last public message before it', async () => {
      const { desk, visitor, path, page } = await openConversation();
      for (const isPrivate of [true, false, true, true, false]) {
        await desk.owner.api.post(`${path}/messages`, { content: 'Words.', private: isPrivate });
      }
      for (const seq of [2, 4, 5]) await visitor.api.post(`/v1/widget/${path.slice(4)}/read`, { seq });
      const marks = (await eventFrames(page)).filter(({ type }) => type === 'conversation.read');
      expect(marks.map(({ data }) => data.last_read_seq)).toEqual([1, 3]);
    });

    it('A private note does not change the last_activity_at sent to a visitor', async () => {
      const { desk, visitor, path, conversation, inbox, page } = await openConversation();
      const before = await visitor.api.get(`/v1/widget/conversations/${conversation.id}`);
      const note = await desk.owner.api.post(`${path}/messages`, { content: 'Done, I think.', private: true });
      await desk.owner.api.post(`${path}/resolve`);
      const entry = (frame: Frame) => frame.data.message.content_type === 'event';
      const [agents, visitors] = [
        await inbox.next('message.created', entry),
        await page.next('message.created', entry),
      ];
      expect(agents.data.conversation.last_activity_at).toBe(note.data.created_at);
      expect(visitors.data.conversation.last_activity_at).toBe(before.data.last_message.created_at);
    });
  });

  describe('Views of agents and visitors', () => {
    it('Agents and visitors receive the same message, each with its own counts', async () => {
      const { desk, path, inbox, page } = await openConversation();
      await desk.owner.api.post(`${path}/messages`, { content: 'A note.', private: true });
      const message = await desk.owner.api.post(`${path}/messages`, { content: 'Hello.', metadata: { Mood: 'good' } });
      const accept = (frame: Frame) => frame.data.message.id === message.data.id;
      const [agents, visitors] = [
        await inbox.next('message.created', accept),
        await page.next('message.created', accept),
      ];
      expect(agents.data.message).toEqual(message.data);
      expect(visitors.data.message).toEqual(message.data);
      expect(Object.keys(agents.data.conversation).sort()).toEqual([
        'id',
        'last_activity_at',
        'last_seq',
        'status',
        'unread',
      ]);
      expect(Object.keys(visitors.data.conversation).sort()).toEqual(Object.keys(agents.data.conversation).sort());
      expect(agents.data.conversation.last_seq).toBe(3);
      expect(agents.data.conversation.unread).toEqual({ agents: 0, contact: 1 });
    });

    it('A visitor receives a conversation as a whitelist of fields, without contact and workspace', async () => {
      const desk = await world.desk();
      const visitor = await world.visitor(desk);
      const [inbox, page] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
      const conversation = await world.conversation(visitor);
      const agents = await inbox.next('conversation.created');
      const visitors = await page.next('conversation.created');
      expect(Object.keys(visitors.data)).toEqual(['conversation']);
      expect(Object.keys(visitors.data.conversation).sort()).toEqual(Object.keys(conversation).sort());
      expect(Object.keys(visitors.data.conversation).sort()).toEqual(
        ['assignee', 'created_at', 'csat', 'id', 'last_message', 'last_seq', 'number', 'status', 'unread'].sort(),
      );
      expect(agents.data.conversation).toMatchObject({ contact_id: visitor.contactId, channel_id: desk.channelId });
    });

    it('Agents receive a conversation’s changes with their actor; a visitor receives status and assignee only', async () => {
      const { desk, path, inbox, room, page, conv } = await openConversation();
      await desk.owner.api.patch(path, { subject: 'Secret subject', tags: ['vip'], priority: 'urgent' });
      const inner = await inbox.next('conversation.updated');
      expect(inner.data.changes).toEqual({
        subject: { from: null, to: 'Secret subject' },
        tags: { from: [], to: ['vip'] },
        priority: { from: 'none', to: 'urgent' },
      });
      expect(inner.data).toMatchObject({ version: 2, actor: { type: 'member', id: desk.owner.memberId } });
      expect(await eventFrames(page)).toEqual([]);
      expect(await eventFrames(conv)).toEqual([]);

      await desk.owner.api.post(`${path}/take`);
      const taken = (frame: Frame) => 'assignee_id' in frame.data.changes;
      expect((await room.next('conversation.updated', taken)).data.changes).toEqual({
        assignee_id: { from: null, to: desk.owner.memberId },
      });
      const shown = await page.next('conversation.updated');
      expect(shown.data).toEqual({
        id: path.split('/').at(-1),
        changes: { assignee: { from: null, to: { name: 'Olivia Owner', avatar_url: null } } },
      });

      await desk.owner.api.post(`${path}/resolve`);
      for (const socket of [page, conv]) {
        const resolved = await socket.next('conversation.updated', frame => 'status' in frame.data.changes);
        expect(resolved.data.changes).toEqual({ status: { from: 'open', to: 'resolved' } });
      }
      expect(typesOf(await eventFrames(page))).toEqual([
        'conversation.updated',
        'conversation.updated',
        'message.created',
      ]);
      const entry = page.of('message.created').at(-1)?.data.message;
      expect(entry).toMatchObject({ content_type: 'event', metadata: { event: 'resolved' }, sender_type: 'bot' });
    });

    it('A visitor never receives an agent’s email address or role', async () => {
      const { desk, path, page } = await openConversation();
      const colleague = await world.colleague(desk, { name: 'Cara Colleague' });
      await desk.owner.api.post(`${path}/assign`, { member_id: colleague.memberId });
      await colleague.api.post(`${path}/messages`, { content: 'Hello from Cara.' });
      await colleague.api.patch('/v1/workspace/members/me', { name: 'Cara C.' });
      await colleague.api.post(`${path}/resolve`);
      await eventFrames(page);
      expect(JSON.stringify(page.frames)).toContain('Cara Colleague');
      expect(JSON.stringify(page.frames)).not.toContain(colleague.email);
      expect(page.of('member.updated')).toEqual([]);
    });
  });

  describe('One event, one frame', () => {
    it('Every socket receives an event as one frame with its id, cursor, timestamp, conversation and channel', async () => {
      const { desk, visitor, conversation, path, inbox, room, page, conv } = await openConversation();
      await desk.owner.api.post(`${path}/messages`, { content: 'Hello.' });
      await visitor.api.post(`/v1/widget/conversations/${conversation.id}/read`, { seq: 2 });
      await desk.owner.api.post(`${path}/resolve`);
      const recorded = await world.app.database.query<{ id: string; type: string }>(
        `SELECT id, type FROM event WHERE conversation_id = $1 ORDER BY position OFFSET 2`,
        [conversation.id],
      );
      expect(recorded.length).toBe(4);
      for (const socket of [inbox, room, page, conv]) {
        const frames = await eventFrames(socket);
        expect(frames.map(({ id, type }) => ({ id, type }))).toEqual(recorded);
        for (const frame of frames) {
          expect(Object.keys(frame).sort()).toEqual(
            ['channel_id', 'conversation_id', 'cursor', 'data', 'id', 'timestamp', 'type'].sort(),
          );
          expect(frame).toMatchObject({
            conversation_id: conversation.id,
            channel_id: desk.channelId,
            cursor: expect.stringMatching(/^[A-Za-z0-9_-]+$/),
            timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/),
          });
        }
      }
    });

    it('A socket in several topics of an event receives it once', async () => {
      const desk = await world.desk();
      const { visitor } = await visitorWithManyConversations(desk);
      const page = await world.visitorSocket(visitor);
      const inbox = await world.agentSocket(desk.owner);
      await world.conversation(visitor);
      for (const socket of [page, inbox]) {
        const ids = (await eventFrames(socket)).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }
    });

    it('Concurrent messages arrive once each, in order of seq', async () => {
      const { desk, visitor, conversation, path, inbox, room, page, conv } = await openConversation();
      await Promise.all(
        Array.from({ length: 40 }, (_nothing, index) =>
          index % 2
            ? desk.owner.api.post(`${path}/messages`, { content: `agent ${index}` })
            : visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content: `visitor ${index}` }),
        ),
      );
      for (const socket of [inbox, room, page, conv]) {
        await socket.next('message.created', frame => frame.data.message.seq === 41);
        const seqs = (await eventFrames(socket)).map(({ data }) => data.message.seq as number);
        expect(seqs).toEqual(Array.from({ length: 40 }, (_nothing, index) => index + 2));
      }
    });
  });

  describe('A change that is rolled back', () => {
    it('A new conversation whose message is refused sends no frame and records no event', async () => {
      const desk = await world.desk();
      const visitor = await world.visitor(desk);
      const [inbox, page] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
      const refused = await desk.owner.api.post('/v1/conversations', {
        contact_id: visitor.contactId,
        channel_id: desk.channelId,
        message: { content: 'In reply to nothing.', reply_to_id: newId() },
      });
      expect(refused.error.code).toBe('reply_to_unknown');
      for (const socket of [inbox, page]) expect(await eventFrames(socket)).toEqual([]);
      const events = await world.app.database.query(
        `SELECT 1 FROM event WHERE contact_id = $1 AND conversation_id IS NOT NULL`,
        [visitor.contactId],
      );
      expect(events).toEqual([]);
    });

    it('A change whose commit fails sends no frame', async () => {
      const { desk, path, inbox, room, page, conv } = await openConversation();
      await world.app.database.query(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused at commit'; END $$`);
      await world.app.database.query(`
        CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON message DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.content = 'undo me') EXECUTE FUNCTION refuse()`);
      try {
        const refused = await desk.owner.api.post(`${path}/messages`, { content: 'undo me' });
        expect(refused.status).toBe(500);
        const kept = await desk.owner.api.post(`${path}/messages`, { content: 'keep me' });
        expect(kept.data.seq).toBe(2);
        for (const socket of [inbox, room, page, conv])
          expect(contents(await eventFrames(socket))).toEqual(['keep me']);
      } finally {
        await world.app.database.query('DROP TRIGGER refuse ON message');
      }
    });

    it('A request that changes nothing sends no frame', async () => {
      const { desk, path, inbox } = await openConversation();
      await desk.owner.api.patch(path, { priority: 'none' });
      await desk.owner.api.post(`${path}/read`, { seq: 0 });
      const again = { content: 'Once.', client_message_id: unique('mine') };
      await desk.owner.api.post(`${path}/messages`, again);
      await desk.owner.api.post(`${path}/messages`, again);
      expect(typesOf(await eventFrames(inbox))).toEqual(['message.created']);
    });
  });

  describe('Events in the inbox', () => {
    it('Agents and the visitor receive an edited and a deleted message', async () => {
      const { desk, path, inbox, page, conv } = await openConversation();
      const { data } = await desk.owner.api.post(`${path}/messages`, { content: 'Helo.' });
      const edited = await desk.owner.api.patch(`${path}/messages/${data.id}`, { content: 'Hello.' });
      await desk.owner.api.delete(`${path}/messages/${data.id}`);
      for (const socket of [inbox, page, conv]) {
        expect((await socket.next('message.updated')).data.message).toEqual(edited.data);
        const { message } = (await socket.next('message.deleted')).data;
        expect(message).toMatchObject({ id: data.id, seq: data.seq, content: null, attachments: [], metadata: {} });
        expect(message.deleted_at).not.toBeNull();
      }
    });

    it('Agents and the visitor receive the read marks of both sides', async () => {
      const { desk, visitor, conversation, path, inbox, page } = await openConversation();
      await desk.owner.api.post(`${path}/read`, { seq: 1 });
      await desk.owner.api.post(`${path}/messages`, { content: 'Hello.' });
      await visitor.api.post(`/v1/widget/conversations/${conversation.id}/read`, { seq: 2 });
      for (const socket of [inbox, page]) {
        await socket.next('conversation.read', frame => frame.data.reader === 'contact');
        expect(socket.of('conversation.read').map(({ data }) => data)).toEqual([
          { id: conversation.id, reader: 'agents', last_read_seq: 1 },
          { id: conversation.id, reader: 'contact', last_read_seq: 2 },
        ]);
      }
    });

    it('Agents receive every change of a contact, and the visitor receives none', async () => {
      const { desk, visitor, inbox, page } = await openConversation();
      const byAgent = await desk.owner.api.patch(`/v1/contacts/${visitor.contactId}`, { name: 'Vera V.' });
      expect((await inbox.next('contact.updated')).data).toEqual(byAgent.data);
      await visitor.api.patch('/v1/widget/contact', { phone: '+49 30 1234' });
      await inbox.next('contact.updated', frame => frame.data.phone === '+49 30 1234');
      expect(await eventFrames(page)).toEqual([]);
    });

    it('An inbox receives changes of channels, members, canned responses and the workspace', async () => {
      const desk = await world.desk();
      const owner = desk.owner.api;
      const inbox = await world.agentSocket(desk.owner);
      const scoped = await world.agentSocket(await world.colleague(desk, { channel_ids: [desk.channelId] }));
      const expected: [string, string][] = [];
      const expecting = (type: string, id: string) => expected.push([type, id]);

      const channel = await world.channel(desk);
      expecting('channel.created', channel.id);
      await owner.patch(`/v1/channels/${channel.id}`, { name: unique('Renamed') });
      expecting('channel.updated', channel.id);
      await owner.delete(`/v1/channels/${channel.id}`);
      expecting('channel.deleted', channel.id);
      const colleague = await world.hire(desk);
      expecting('member.created', colleague.memberId);
      await colleague.api.patch('/v1/workspace/members/me', { availability: 'away' });
      expecting('member.updated', colleague.memberId);
      const canned = await owner.post('/v1/canned-responses', { short_code: 'hi', title: 'Hi', content: 'Hi there' });
      expecting('canned_response.created', canned.data.id);
      await owner.patch(`/v1/canned-responses/${canned.data.id}`, { title: 'Hello' });
      expecting('canned_response.updated', canned.data.id);
      await owner.delete(`/v1/canned-responses/${canned.data.id}`);
      expecting('canned_response.deleted', canned.data.id);
      await owner.patch('/v1/workspace', { name: unique('Renamed') });
      expecting('workspace.updated', desk.workspaceId);

      const listed = (frames: Frame[]) => frames.map(({ type, data }): [string, string] => [type, data.id as string]);
      expect(listed(await eventFrames(inbox)).slice(-expected.length)).toEqual(expected);
      const visible = expected.filter(([type]) => !type.startsWith('channel.'));
      expect(listed(await eventFrames(scoped)).slice(-visible.length)).toEqual(visible);
      const shown = inbox.of('channel.created').at(-1);
      expect(shown?.data.identity_secret).toBeUndefined();
    });
  });

  describe('Sockets after the end of access', () => {
    const expectOpen = async (socket: TestSocket) => {
      await socket.settled();
      expect(socket.closed).toBeNull();
    };
    const signIn = async (agent: Agent) => {
      const { data } = await world.anyone.post('/v1/auth/login', { email: agent.email, password: PASSWORD });
      return world.agentOf(data, agent.email);
    };

    it('Signing out closes the sockets of that session with 4502, and no others', async () => {
      const { desk, conversation, inbox, page } = await openConversation();
      const agent = await world.colleague(desk);
      const elsewhere = await signIn(agent);
      const [ending, endingRoom, other] = [
        await world.agentSocket(agent),
        await world.agentSocket(agent, { room: conversation.id }),
        await world.agentSocket(elsewhere),
      ];
      await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
      expect((await ending.end(1_000)).code).toBe(4502);
      expect((await endingRoom.end(1_000)).code).toBe(4502);
      for (const socket of [other, inbox, page]) await expectOpen(socket);
    });

    it('Signing out closes sockets opened with a refreshed token of the session', async () => {
      const agent = await world.colleague(await world.desk());
      const fresh = await world.anyone.post('/v1/auth/refresh', { refresh_token: agent.refreshToken });
      const socket = await world.socket('agent', { token: fresh.data.token });
      await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
      expect((await socket.end(1_000)).code).toBe(4502);
    });

    it('A password change closes the sockets of every other session, and keeps the caller’s own', async () => {
      const desk = await world.desk();
      const here = await world.colleague(desk);
      const there = await signIn(here);
      const [kept, other, owners] = [
        await world.agentSocket(here),
        await world.agentSocket(there),
        await world.agentSocket(desk.owner),
      ];
      const changed = await here.api.post('/v1/auth/password', {
        old_password: PASSWORD,
        password: 'another horse battery',
      });
      expect(changed.status).toBe(200);
      expect((await other.end(1_000)).code).toBe(4502);
      await expectOpen(kept);
      await expectOpen(owners);
    });

    it('A password reset by a mailed link closes all sockets of the member', async () => {
      const desk = await world.desk();
      const socket = await world.agentSocket(desk.owner);
      await world.anyone.post('/v1/auth/password/forgot', { email: desk.owner.email });
      const mail = await eventually(() => world.app.mails.find(({ to }) => to === desk.owner.email));
      const reset_token = /#reset=(\S+)/.exec(mail.text)?.[1];
      const reset = await world.anyone.post('/v1/auth/password/reset', {
        reset_token,
        password: 'a third horse battery',
      });
      expect(reset.status).toBe(200);
      expect((await socket.end(1_000)).code).toBe(4502);
    });

    it.each(['Deleting', 'Disabling'])('%s a channel closes its visitors’ sockets, and no others', async action => {
      const { desk, page, inbox } = await openConversation();
      const channel = await world.channel(desk);
      const guest = await world.visitor({ widgetToken: channel.widget_token });
      const { id } = await world.conversation(guest);
      const [temporary, conv] = [await world.visitorSocket(guest), await world.visitorSocket(guest, { conv: id })];
      const room = await world.agentSocket(desk.owner, { room: id });
      const path = `/v1/channels/${channel.id}`;
      await (action === 'Deleting' ? desk.owner.api.delete(path) : desk.owner.api.patch(path, { status: 'disabled' }));
      expect((await temporary.end(1_000)).code).toBe(4502);
      expect((await conv.end(1_000)).code).toBe(4502);
      for (const socket of [page, inbox, room]) await expectOpen(socket);
    });

    it('Renaming a channel or rotating its token closes no socket', async () => {
      const { desk, page } = await openConversation();
      await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { name: unique('Renamed') });
      await desk.owner.api.post(`/v1/channels/${desk.channelId}/rotate-token`);
      await expectOpen(page);
    });

    it('A socket whose session has ended neither receives events nor sends frames', async () => {
      const { desk, visitor, conversation, path } = await openConversation();
      const agent = await world.colleague(desk);
      await agent.api.post(`${path}/take`);
      const page = await world.visitorSocket(visitor, { conv: conversation.id });
      const ending = await world.agentSocket(agent);
      ending.ws.pause();
      await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
      ending.send({ type: 'typing', conversation_id: conversation.id });
      await desk.owner.api.post(`${path}/messages`, { content: 'After the end.' });
      ending.ws.resume();
      expect((await ending.end(3_000)).code).toBe(4502);
      expect(contents(ending.frames)).toEqual([]);
      await eventFrames(page);
      expect(page.of('typing')).toEqual([]);
    });
  });
});
