import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { newId } from '../../src/kernel/ids.js';
import type { ContactRecord, ContactSummary } from '../../src/modules/contacts/index.js';
import type { ConversationRecord, Status, VisitorConversationRecord } from '../../src/modules/conversations/index.js';
import type { MessageRecord } from '../../src/modules/messages/index.js';
import { ConversationCountsRepairService } from '../../src/modules/conversations/conversation-counts-repair.service.js';
import { ConversationsRepository } from '../../src/modules/conversations/conversations.repository.js';
import type { Caller } from '../support/http.js';
import { countsOf, race } from '../support/race.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

type Listed = ConversationRecord & { contact: ContactSummary };
interface Page<T> {
  items: T[];
  next_cursor: string | null;
}
interface Started {
  conversation: VisitorConversationRecord;
  message: MessageRecord;
}
interface Counts {
  mine: number;
  unassigned: number;
  open: number;
  pending: number;
  snoozed: number;
  mentioned_unread: number;
}

const PATH = '/v1/conversations';
const HOUR = 3600;
const UNKNOWN_ID = '01960000-0000-7000-8000-000000000000';

describe('Conversations', () => {
  let world: World;
  let desk: Desk;
  let agent: Agent;
  let visitor: Visitor;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    desk = await world.desk();
    agent = desk.owner;
    visitor = await world.visitor(desk, { name: 'Vera', email: 'vera@example.com' });
  });
  afterEach(() => world.app.clock.reset());

  const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);
  const read = async (id: string, as: Caller = agent.api) => (await as.get<Listed>(`${PATH}/${id}`)).data;
  const startConversation = async (from = visitor, content = 'Hello?'): Promise<string> =>
    ((await world.conversation(from, content)) as VisitorConversationRecord).id;
  /** An agent may start one while the visitor's latest one could still be reopened. */
  const startAsAgent = async (): Promise<string> =>
    (await agent.api.post<Listed>(PATH, { contact_id: visitor.contactId, channel_id: desk.channelId })).data.id;
  const postAction = (id: string, action: string, body?: object, as: Caller = agent.api) =>
    as.post<Listed>(`${PATH}/${id}/${action}`, body);
  const sendAsAgent = (id: string, body: object, as: Caller = agent.api) =>
    as.post<MessageRecord>(`${PATH}/${id}/messages`, body);
  const sendAsVisitor = (id: string, content: string, from = visitor, more: object = {}) =>
    from.api.post<MessageRecord>(`/v1/widget/conversations/${id}/messages`, { content, ...more });
  const readMessages = async (id: string) =>
    (await agent.api.get<Page<MessageRecord>>(`${PATH}/${id}/messages?limit=200`)).data.items;

  /** Sets a status by SQL, without the module that leads to it. */
  const setStatus = async (id: string, status: Status) => {
    const control = status === 'pending' ? 'bot' : 'human';
    await sql('UPDATE conversation SET status = $2, control = $3 WHERE id = $1', [id, status, control]);
    await world.app.app.get(ConversationCountsRepairService).repair();
  };

  /** Runs an attempt that conflicts with a conversation, which is resolved before the service looks up its id. */
  const resolveDuring = async <T>(id: string, attempt: () => Promise<T>): Promise<T> => {
    const repository = world.app.app.get(ConversationsRepository);
    const spy = jest.spyOn(repository, 'findUnresolved').mockImplementationOnce(async (...args) => {
      expect((await postAction(id, 'resolve')).status).toBe(200);
      return repository.findUnresolved(...args);
    });
    try {
      return await attempt();
    } finally {
      expect(spy).toHaveBeenCalled();
      spy.mockRestore();
    }
  };

  /** Moves the clock, then signs the visitor and the agent in again. */
  const advanceClock = async (hours: number, seconds = 0) => {
    world.app.clock.advance(hours * HOUR + seconds);
    const session = await visitor.api.post('/v1/widget/session', { widget_token: desk.widgetToken });
    expect(session.data.contact_id).toBe(visitor.contactId);
    visitor = { ...visitor, token: session.data.visitor_token, api: world.as(session.data.visitor_token) };
    const login = await world.anyone.post('/v1/auth/login', { email: agent.email, password: PASSWORD });
    agent = world.agentOf(login.data, agent.email);
  };

  describe('Conversations started by a visitor', () => {
    it('A visitor who starts a conversation gets 201 with its view of it and the first message', async () => {
      const started = await visitor.api.post<Started>('/v1/widget/conversations', { message: { content: 'Hello?' } });
      expect(started.status).toBe(201);
      const { conversation, message } = started.data;
      expect(conversation).toEqual({
        id: conversation.id,
        number: 1,
        status: 'open',
        assignee: null,
        last_message: { id: message.id, preview: 'Hello?', sender_type: 'contact', created_at: message.created_at },
        last_seq: 1,
        unread: { agents: 1, contact: 0 },
        csat: null,
        created_at: conversation.created_at,
      });
      expect(message).toMatchObject({ conversation_id: conversation.id, seq: 1, sender_type: 'contact' });
      expect((await visitor.api.get(`/v1/widget/conversations/${conversation.id}`)).data).toEqual(conversation);
    });

    it('An agent sees every field of a conversation started by a visitor', async () => {
      const id = await startConversation();
      const seen = await read(id);
      expect(seen).toEqual({
        id,
        number: 1,
        workspace_id: desk.workspaceId,
        channel_id: desk.channelId,
        contact_id: visitor.contactId,
        contact: { id: visitor.contactId, name: 'Vera', email: 'vera@example.com', avatar_url: null, verified: false },
        status: 'open',
        priority: 'none',
        assignee_id: null,
        bot_id: null,
        control: 'human',
        subject: null,
        tags: [],
        custom_attributes: {},
        snoozed_until: null,
        waiting_since: seen.last_message?.created_at,
        first_response_at: null,
        last_message: {
          id: seen.last_message?.id,
          preview: 'Hello?',
          sender_type: 'contact',
          created_at: seen.last_activity_at,
        },
        last_activity_at: seen.last_activity_at,
        last_seq: 1,
        unread: { agents: 1, contact: 0 },
        agent_last_read_seq: 0,
        contact_last_read_seq: 0,
        resolved_at: null,
        resolved_by: null,
        reopened_count: 0,
        previous_conversation_id: null,
        csat: null,
        context: { page: null, locale: null, timezone: null, browser: null, os: null, device: null },
        pre_chat: null,
        handoff: null,
        version: 1,
        created_at: seen.created_at,
        updated_at: seen.last_activity_at,
      });
    });

    it('A visitor who starts a second conversation gets 200 and adds to the unresolved one', async () => {
      const id = await startConversation();
      const again = await visitor.api.post<Started>('/v1/widget/conversations', { message: { content: 'Anybody?' } });
      expect(again.status).toBe(200);
      expect(again.data.conversation).toMatchObject({ id, last_seq: 2, unread: { agents: 2, contact: 0 } });
      expect(again.data.message).toMatchObject({ conversation_id: id, seq: 2 });
    });

    it('A visitor who starts a conversation within the reopen window reopens the latest one (200)', async () => {
      const id = await startConversation();
      await postAction(id, 'resolve');
      await advanceClock(72, -60);
      const again = await visitor.api.post<Started>('/v1/widget/conversations', { message: { content: 'Once more' } });
      expect([again.status, again.data.conversation.id, again.data.message.seq]).toEqual([200, id, 4]);
      expect(await read(id)).toMatchObject({ status: 'open', reopened_count: 1, previous_conversation_id: null });
    });

    it('A visitor who starts a conversation after the reopen window gets a new one that names the latest', async () => {
      const id = await startConversation();
      await postAction(id, 'resolve');
      await advanceClock(72, 1);
      const next = await visitor.api.post<Started>('/v1/widget/conversations', {
        message: { content: 'Another thing' },
      });
      expect([next.status, next.data.conversation.number]).toEqual([201, 2]);
      expect(await read(next.data.conversation.id)).toMatchObject({ previous_conversation_id: id });
    });

    it('A conversation that an agent starts, or one of several on a channel, names the latest resolved one', async () => {
      const channel = await world.channel(desk, { single_conversation: false });
      const someone = await world.visitor({ widgetToken: channel.widget_token });
      const [first, second] = [await startConversation(someone), await startConversation(someone)];
      await postAction(second, 'resolve');
      await postAction(first, 'resolve');
      const third = await startConversation(someone);
      expect(await read(third)).toMatchObject({ previous_conversation_id: first });
      const body = { contact_id: someone.contactId, channel_id: channel.id };
      const byAgent = await agent.api.post<ConversationRecord>('/v1/conversations', body);
      expect(byAgent.data).toMatchObject({ previous_conversation_id: first });
    });

    it('A repeated first message gets the stored message, also after the conversation was resolved', async () => {
      await agent.api.patch(`/v1/channels/${desk.channelId}`, { reopen_window_hours: 0 });
      const body = { message: { content: 'Hello?', client_message_id: 'c-1' } };
      const first = await visitor.api.post<Started>('/v1/widget/conversations', body);
      await postAction(first.data.conversation.id, 'resolve');
      await advanceClock(1);
      const again = await visitor.api.post<Started>('/v1/widget/conversations', body);
      expect([again.status, again.data.message.id]).toEqual([200, first.data.message.id]);
      expect(again.data.conversation.status).toBe('resolved');
    });

    it('A visitor can start several conversations where the channel allows it', async () => {
      const channel = await world.channel(desk, { single_conversation: false });
      const several = await world.visitor({ widgetToken: channel.widget_token });
      const first = await startConversation(several);
      const second = await startConversation(several);
      expect(second).not.toBe(first);
      const listed = await several.api.get<Page<VisitorConversationRecord>>('/v1/widget/conversations');
      expect(listed.data.items.map(({ id }) => id)).toEqual([second, first]);
    });

    it('Concurrently started conversations of a workspace are numbered 1, 2, 3 … without gaps', async () => {
      const visitors = await race(12, () => world.visitor(desk));
      const started = await race(12, index => world.conversation(visitors[index] as Visitor));
      const numbers = (started as VisitorConversationRecord[]).map(({ number }) => number);
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_nothing, index) => index + 1));
      expect(await world.conversation(await world.visitor(await world.desk()))).toMatchObject({ number: 1 });
    });

    it('A visitor cannot start a conversation without a message that has content (400)', async () => {
      const empty = await visitor.api.post('/v1/widget/conversations', {});
      expect([empty.status, empty.error.details?.[0]?.field]).toEqual([400, 'message']);
      const blank = await visitor.api.post('/v1/widget/conversations', { message: { content: ' \n' } });
      expect([blank.status, blank.error.code]).toEqual([400, 'content_required']);
      const silent = await visitor.api.post('/v1/widget/conversations', { message: null });
      expect(silent.status).toBe(400);
      expect((await visitor.api.get<Page<object>>('/v1/widget/conversations')).data.items).toEqual([]);
    });

    it('A new conversation is broadcast before its first message', async () => {
      const inbox = await world.agentSocket(agent);
      const page = await world.visitorSocket(visitor);
      const id = await startConversation();
      await inbox.next('message.created');
      await page.next('message.created');
      for (const socket of [inbox, page]) {
        const types = socket.frames.filter(frame => frame.conversation_id === id).map(frame => frame.type);
        expect(types).toEqual(['conversation.created', 'message.created']);
        await socket.close();
      }
    });
  });

  describe('Conversations started by agents and keys', () => {
    const start = (body: object = {}, as: Caller = agent.api) =>
      as.post<Listed>(PATH, { contact_id: visitor.contactId, channel_id: desk.channelId, ...body });

    it('An agent starts a conversation with 201, optionally with a subject and a first message', async () => {
      const bare = await start();
      expect(bare.status).toBe(201);
      expect(bare.data).toMatchObject({ status: 'open', subject: null, last_message: null, last_seq: 0 });
      await postAction(bare.data.id, 'resolve');
      const full = await start({ subject: 'Your order', message: { content: 'It is late, sorry.' } });
      expect(full.status).toBe(201);
      expect(full.data).toMatchObject({
        subject: 'Your order',
        last_message: { preview: 'It is late, sorry.', sender_type: 'agent' },
        unread: { agents: 0, contact: 1 },
        waiting_since: null,
      });
      expect(full.data.first_response_at).toBeNull();
      expect((await visitor.api.get(`/v1/widget/conversations/${full.data.id}`)).data).toMatchObject({ last_seq: 1 });
    });

    it('An agent can start a conversation with a private note, which the visitor does not see', async () => {
      const { data } = await start({ message: { content: 'Call her first', private: true } });
      const seen = await visitor.api.get(`/v1/widget/conversations/${data.id}`);
      expect(seen.data).toMatchObject({ last_message: null, last_seq: 0, unread: { agents: 0, contact: 0 } });
    });

    it('An agent who starts a conversation beside an unresolved one gets 409 with its id', async () => {
      const id = await startConversation();
      const beside = await start({ message: { content: 'Hello' } });
      expect([beside.status, beside.error.code, beside.error.conversation_id]).toEqual([
        409,
        'conversation_exists',
        id,
      ]);
      expect(await read(id)).toMatchObject({ last_seq: 1 });
    });

    it('Of concurrent starts of a conversation one succeeds, and the others get 409 with its id', async () => {
      const answers = await race(6, () => start({ message: { content: 'Hello' } }));
      const made = answers.filter(({ status }) => status === 201);
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 5 });
      const refused = answers.filter(({ status }) => status === 409);
      expect(new Set(refused.map(({ error }) => error.conversation_id))).toEqual(new Set([made[0]?.data.id]));
    });

    it.each<Record<string, string>>([{}, { 'Idempotency-Key': 'start' }])(
      'An agent can start a conversation beside one that is resolved at that moment, with the next number: headers %j',
      async headers => {
        const id = await startConversation();
        const made = await resolveDuring(id, () =>
          agent.api.post<Listed>(PATH, { contact_id: visitor.contactId, channel_id: desk.channelId }, headers),
        );
        expect([made.status, made.data.status, made.data.number]).toEqual([201, 'open', 2]);
        expect(await read(id)).toMatchObject({ status: 'resolved' });
        expect(await world.app.app.get(ConversationCountsRepairService).repair()).toBe(0);
      },
    );

    it('An agent can start several conversations where the channel allows it', async () => {
      const channel = await world.channel(desk, { single_conversation: false });
      const answers = await race(3, () => start({ channel_id: channel.id }));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    });

    it('A key cannot start a conversation with a message that has no sender (400)', async () => {
      const key = await world.apiKey(desk);
      const unsigned = await start({ message: { content: 'Hello' } }, key);
      expect([unsigned.status, unsigned.error.code]).toEqual([400, 'sender_required']);
      expect((await agent.api.get<Page<Listed>>(PATH)).data.items).toEqual([]);
      const signed = await start({ message: { content: 'Hello', member_id: agent.memberId } }, key);
      expect(signed.status).toBe(201);
      expect(signed.data.number).toBe(1);
    });

    it('A conversation with a foreign, unknown, malformed or missing contact or channel is refused (400)', async () => {
      const elsewhere = await world.desk();
      const stranger = await world.visitor(elsewhere);
      for (const [field, value] of [
        ['contact_id', stranger.contactId],
        ['contact_id', UNKNOWN_ID],
        ['contact_id', 'vera'],
        ['contact_id', null],
        ['channel_id', elsewhere.channelId],
        ['channel_id', UNKNOWN_ID],
        ['channel_id', undefined],
      ] as const) {
        const answer = await start({ [field]: value });
        expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
        expect(answer.error.details?.map(fault => fault.field)).toEqual([field]);
      }
    });

    it('A conversation cannot be started on a deleted channel (400)', async () => {
      const channel = await world.channel(desk);
      await agent.api.delete(`/v1/channels/${channel.id}`);
      expect((await start({ channel_id: channel.id })).status).toBe(400);
    });

    it('Faults in the first message are named by their path (400)', async () => {
      const answer = await start({ subject: '', message: { content: 7, metadata: 'x' } });
      expect(answer.status).toBe(400);
      const fields = answer.error.details?.map(fault => fault.field).sort();
      expect(fields).toEqual(['message.content', 'message.metadata', 'subject']);
    });
  });

  describe('Visitor messages to resolved conversations', () => {
    it('A visitor message within the reopen window reopens the conversation with its assignee', async () => {
      const id = await startConversation();
      await postAction(id, 'take');
      await postAction(id, 'resolve');
      await advanceClock(72, -60);
      const sent = await sendAsVisitor(id, 'One more thing');
      expect([sent.status, sent.data.conversation_id]).toEqual([201, id]);
      const seen = await read(id);
      expect(seen).toMatchObject({ status: 'open', reopened_count: 1, resolved_at: null, resolved_by: null });
      expect(seen.assignee_id).toBe(agent.memberId);
      expect(seen.waiting_since).toBe(sent.data.created_at);
      const events = (await readMessages(id)).filter(message => message.content_type === 'event' && !message.private);
      expect(events.map(({ metadata }) => metadata.event)).toEqual(['resolved', 'reopened']);
    });

    it('Each reopening of a conversation is counted', async () => {
      const id = await startConversation();
      for (const count of [1, 2]) {
        await postAction(id, 'resolve');
        await sendAsVisitor(id, 'Again');
        expect(await read(id)).toMatchObject({ status: 'open', reopened_count: count });
      }
    });

    it('A visitor message after the reopen window starts a conversation that names the previous one', async () => {
      const id = await startConversation();
      await postAction(id, 'resolve');
      await advanceClock(72, 1);
      const sent = await sendAsVisitor(id, 'Hello again');
      expect(sent.status).toBe(201);
      expect(sent.data.conversation_id).not.toBe(id);
      expect(sent.data.seq).toBe(1);
      const next = await read(sent.data.conversation_id);
      expect(next).toMatchObject({ status: 'open', previous_conversation_id: id, number: 2, reopened_count: 0 });
      expect(await read(id)).toMatchObject({ status: 'resolved', reopened_count: 0 });
    });

    it('The reopen window is the one set on the channel', async () => {
      await agent.api.patch(`/v1/channels/${desk.channelId}`, { reopen_window_hours: 1 });
      const id = await startConversation();
      await postAction(id, 'resolve');
      await advanceClock(1, 1);
      expect((await sendAsVisitor(id, 'Too late')).data.conversation_id).not.toBe(id);
    });

    it('A visitor message to a resolved conversation goes to the unresolved one if there is one', async () => {
      const id = await startConversation();
      await postAction(id, 'resolve');
      const body = { contact_id: visitor.contactId, channel_id: desk.channelId };
      const current = (await agent.api.post<ConversationRecord>('/v1/conversations', body)).data.id;
      const early = await sendAsVisitor(id, 'Which one?', visitor, { client_message_id: 'c-1' });
      expect([early.status, early.data.conversation_id]).toEqual([201, current]);
      expect((await sendAsVisitor(id, 'Which one?', visitor, { client_message_id: 'c-1' })).status).toBe(200);
      await advanceClock(73);
      const late = await sendAsVisitor(id, 'To the old address');
      expect([late.status, late.data.conversation_id]).toEqual([201, current]);
      expect(await read(id)).toMatchObject({ status: 'resolved', last_seq: 2 });
    });

    it('A late visitor message to an older conversation reopens the latest one within its window', async () => {
      const older = await startConversation();
      await postAction(older, 'resolve');
      await advanceClock(73);
      const latest = await startConversation();
      await postAction(latest, 'resolve');
      const sent = await sendAsVisitor(older, 'To the old address');
      expect([sent.status, sent.data.conversation_id]).toEqual([201, latest]);
      expect(await read(latest)).toMatchObject({ status: 'open', previous_conversation_id: older });
    });

    it('Concurrent visitor messages after the reopen window start one new conversation', async () => {
      for (const single of [true, false]) {
        const channel = await world.channel(desk, { single_conversation: single, reopen_window_hours: 0 });
        const someone = await world.visitor({ widgetToken: channel.widget_token });
        const id = await startConversation(someone);
        await postAction(id, 'resolve');
        world.app.clock.advance(1);
        const sent = await race(12, index => sendAsVisitor(id, `Late ${index}`, someone));
        const ids = new Set(sent.map(({ data }) => data.conversation_id));
        expect(ids.size).toBe(1);
        expect(sent.map(({ data }) => data.seq).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 12 }, (_nothing, index) => index + 1),
        );
        const [next] = [...ids];
        expect(await read(String(next))).toMatchObject({ previous_conversation_id: id });
      }
    });

    it('A visitor message after the reopen window drops its reply_to_id of the old conversation', async () => {
      const id = await startConversation();
      const [first] = await readMessages(id);
      await postAction(id, 'resolve');
      await advanceClock(73);
      const sent = await sendAsVisitor(id, 'About that', visitor, { reply_to_id: first?.id });
      expect([sent.status, sent.data.reply_to_id]).toEqual([201, null]);
    });

    it('A repeated visitor message after the reopen window gets 200 with the stored message', async () => {
      const id = await startConversation();
      const first = await sendAsVisitor(id, 'Said once', visitor, { client_message_id: 'c-1' });
      await postAction(id, 'resolve');
      await advanceClock(100);
      const again = await sendAsVisitor(id, 'Said once', visitor, { client_message_id: 'c-1' });
      expect([again.status, again.data]).toEqual([200, first.data]);
      expect((await visitor.api.get<Page<object>>('/v1/widget/conversations')).data.items).toHaveLength(1);
    });
  });

  describe('Assigning conversations', () => {
    it('An agent takes a conversation, and the visitor sees the name of the agent', async () => {
      const page = await world.visitorSocket(visitor);
      const id = await startConversation();
      const taken = await postAction(id, 'take');
      expect([taken.status, taken.data.assignee_id, taken.data.version]).toEqual([200, agent.memberId, 2]);
      const display = { name: 'Olivia Owner', avatar_url: null };
      const frame = await page.next('conversation.updated');
      expect(frame.data).toEqual({ id, changes: { assignee: { from: null, to: display } } });
      const seen = await visitor.api.get<VisitorConversationRecord>(`/v1/widget/conversations/${id}`);
      expect(seen.data.assignee).toEqual(display);
      await page.close();
    });

    it('A visitor is told the name of the old and the new assignee on every change', async () => {
      const colleague = await world.colleague(desk, { name: 'Cara Colleague' });
      const page = await world.visitorSocket(visitor);
      const id = await startConversation();
      await postAction(id, 'take');
      await postAction(id, 'take', undefined, colleague.api);
      await postAction(id, 'assign', { member_id: null });
      await postAction(id, 'take');
      await postAction(id, 'resolve');
      await page.next('conversation.updated', frame => 'status' in frame.data.changes);
      const [olivia, cara] = ['Olivia Owner', 'Cara Colleague'].map(name => ({ name, avatar_url: null }));
      expect(page.of('conversation.updated').map(({ data }) => data.changes as object)).toEqual([
        { assignee: { from: null, to: olivia } },
        { assignee: { from: olivia, to: cara } },
        { assignee: { from: cara, to: null } },
        { assignee: { from: null, to: olivia } },
        { status: { from: 'open', to: 'resolved' } },
      ]);
      await page.close();
    });

    it("Taking one's own conversation changes nothing", async () => {
      const id = await startConversation();
      await postAction(id, 'take');
      const again = await postAction(id, 'take');
      expect([again.status, again.data.version, again.data.last_seq]).toEqual([200, 2, 2]);
    });

    it('An agent can take a conversation that is assigned to another agent', async () => {
      const colleague = await world.colleague(desk);
      const id = await startConversation();
      await postAction(id, 'take');
      expect((await postAction(id, 'take', undefined, colleague.api)).data.assignee_id).toBe(colleague.memberId);
    });

    it('A key cannot take a conversation, because it is not a member (401)', async () => {
      const answer = await postAction(await startConversation(), 'take', undefined, await world.apiKey(desk));
      expect([answer.status, answer.error.code]).toEqual([401, 'agent_token_required']);
    });

    it('A conversation can be assigned to a member, to another member and to nobody', async () => {
      const colleague = await world.colleague(desk);
      const id = await startConversation();
      expect((await postAction(id, 'assign', { member_id: colleague.memberId })).data.assignee_id).toBe(
        colleague.memberId,
      );
      expect((await postAction(id, 'assign', { member_id: agent.memberId })).data.assignee_id).toBe(agent.memberId);
      const key = await world.apiKey(desk);
      expect((await postAction(id, 'assign', { member_id: null }, key)).data).toMatchObject({
        assignee_id: null,
        version: 4,
      });
      const entries = (await readMessages(id)).filter(message => message.content_type === 'event');
      expect(entries.map(({ metadata }) => metadata.event)).toEqual(['assigned', 'assigned', 'unassigned']);
    });

    it('A conversation cannot be assigned to a deactivated member or one without the channel (422)', async () => {
      const left = await world.colleague(desk);
      await sql(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [left.memberId]);
      const channelless = await world.colleague(desk, { channel_ids: [] });
      const elsewhere = await world.colleague(desk, { channel_ids: [(await world.channel(desk)).id] });
      const id = await startConversation();
      for (const { memberId } of [left, channelless, elsewhere]) {
        const answer = await postAction(id, 'assign', { member_id: memberId });
        expect([answer.status, answer.error.code]).toEqual([422, 'assignee_unavailable']);
      }
      expect(await read(id)).toMatchObject({ assignee_id: null, version: 1, last_seq: 1 });
      const sees = await world.colleague(desk, { channel_ids: [desk.channelId] });
      expect((await postAction(id, 'assign', { member_id: sees.memberId })).status).toBe(200);
    });

    it('A conversation cannot be assigned to somebody outside the workspace (400)', async () => {
      const id = await startConversation();
      const stranger = (await world.desk()).owner.memberId;
      for (const member_id of [stranger, UNKNOWN_ID, 'me', undefined, 7]) {
        const answer = await postAction(id, 'assign', { member_id });
        expect([answer.status, answer.error.details?.[0]?.field]).toEqual([400, 'member_id']);
      }
    });

    it('Of concurrent takes with one expected_version exactly one succeeds, the others get 409', async () => {
      const id = await startConversation();
      const agents = await race(4, () => world.colleague(desk));
      const answers = await race(4, index => postAction(id, 'take', { expected_version: 1 }, agents[index]?.api));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 3 });
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.error).toMatchObject({ code: 'version_conflict', version: 2 });
    });
  });

  describe('Status transitions of conversations', () => {
    it('Resolving and reopening a conversation records who did it and when', async () => {
      const id = await startConversation();
      const resolved = await postAction(id, 'resolve');
      expect(resolved.data).toMatchObject({
        status: 'resolved',
        resolved_by: { type: 'member', id: agent.memberId },
        waiting_since: null,
        version: 2,
      });
      expect(resolved.data.resolved_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const key = await world.apiKey(desk);
      const reopened = await postAction(id, 'reopen', undefined, key);
      expect(reopened.data).toMatchObject({
        status: 'open',
        resolved_at: null,
        resolved_by: null,
        reopened_count: 1,
        version: 3,
      });
      const again = await postAction(id, 'resolve', undefined, key);
      expect(again.data.resolved_by).toMatchObject({ type: 'api_key' });
    });

    it('An agent takes over a conversation from a bot by taking or by answering it', async () => {
      const taken = await startConversation();
      await setStatus(taken, 'pending');
      expect((await postAction(taken, 'take')).data).toMatchObject({ status: 'open', control: 'human' });
      await postAction(taken, 'resolve');
      const answered = await startAsAgent();
      await setStatus(answered, 'pending');
      await sendAsAgent(answered, { content: 'I am a person.' });
      expect(await read(answered)).toMatchObject({ status: 'open', control: 'human' });
    });

    it("A contact's message wakes a snoozed conversation, an agent's message does not", async () => {
      const id = await startConversation();
      await setStatus(id, 'snoozed');
      await sendAsAgent(id, { content: 'Until tomorrow.' });
      expect(await read(id)).toMatchObject({ status: 'snoozed' });
      await sendAsVisitor(id, 'It is tomorrow.');
      expect(await read(id)).toMatchObject({ status: 'open', snoozed_until: null });
    });

    it.each(['pending', 'open', 'snoozed'] as const)('A %s conversation can be resolved', async status => {
      const id = await startConversation();
      await setStatus(id, status);
      expect((await postAction(id, 'resolve')).data).toMatchObject({ status: 'resolved', snoozed_until: null });
    });

    const refused: { action: string; from: Status; to: Status }[] = [
      { action: 'resolve', from: 'resolved', to: 'resolved' },
      { action: 'take', from: 'resolved', to: 'open' },
      { action: 'reopen', from: 'pending', to: 'open' },
      { action: 'reopen', from: 'open', to: 'open' },
      { action: 'reopen', from: 'snoozed', to: 'open' },
    ];
    it.each(refused)(
      'Action $action on a conversation in status $from is refused and changes nothing (422)',
      async ({ action, from, to }) => {
        const id = await startConversation();
        await setStatus(id, from);
        const before = await read(id);
        const answer = await postAction(id, action);
        expect([answer.status, answer.error.code]).toEqual([422, 'invalid_transition']);
        expect(answer.error).toMatchObject({ from, to });
        expect(await read(id)).toEqual(before);
      },
    );

    it('Reopening a conversation beside an unresolved one changes nothing and gets 409 with its id', async () => {
      const id = await startConversation();
      await postAction(id, 'resolve');
      const current = await startAsAgent();
      const before = await read(id);
      for (const answer of [await postAction(id, 'reopen'), await sendAsAgent(id, { content: 'Still there?' })]) {
        expect([answer.status, answer.error.code]).toEqual([409, 'conversation_exists']);
        expect(answer.error.conversation_id).toBe(current);
      }
      expect(await read(id)).toEqual(before);
    });

    it('A conversation can be reopened, by action or message, beside one that is resolved meanwhile', async () => {
      const id = await startConversation();
      const ways: (() => Promise<{ status: number }>)[] = [
        () => postAction(id, 'reopen'),
        () => sendAsAgent(id, { content: 'Still there?' }),
        () => sendAsVisitor(id, 'Yes, I am.'),
      ];
      for (const [index, way] of ways.entries()) {
        await postAction(id, 'resolve');
        world.app.clock.advance(31); // later than a resolve can be taken back
        const current = await startAsAgent();
        const answer = await resolveDuring(current, way);
        expect([200, 201]).toContain(answer.status);
        expect(await read(id)).toMatchObject({ status: 'open', reopened_count: index + 1 });
        expect(await read(current)).toMatchObject({ status: 'resolved' });
      }
      world.app.clock.reset();
    });

    it('Concurrent reopenings and starts leave one unresolved conversation', async () => {
      const id = await startConversation();
      await postAction(id, 'resolve');
      const start = () => visitor.api.post<Started>('/v1/widget/conversations', { message: { content: 'New' } });
      const answers = await Promise.all([postAction(id, 'reopen'), start(), postAction(id, 'reopen'), start()]);
      expect(answers.every(({ status }) => [200, 201, 409, 422].includes(status))).toBe(true);
      const unresolved = (await agent.api.get<Page<Listed>>(`${PATH}?status=open`)).data.items;
      expect(unresolved).toHaveLength(1);
    });

    it('Of concurrent resolves one succeeds, the others are refused (422)', async () => {
      const id = await startConversation();
      const answers = await race(6, () => postAction(id, 'resolve'));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 422: 5 });
      expect((await readMessages(id)).filter(({ metadata }) => metadata.event === 'resolved')).toHaveLength(1);
    });

    it.each(['take', 'resolve', 'reopen'])('Action %s accepts an empty body without a content type', async action => {
      const id = await startConversation();
      if (action === 'reopen') await postAction(id, 'resolve');
      expect((await agent.api.post(`${PATH}/${id}/${action}`)).status).toBe(200);
    });

    it.each(['take', 'resolve', 'assign'])(
      'Action %s with a stale expected_version is 409, with the current one 200',
      async action => {
        const id = await startConversation();
        const body = action === 'assign' ? { member_id: agent.memberId } : {};
        await agent.api.patch(`${PATH}/${id}`, { priority: 'high' });
        const stale = await postAction(id, action, { ...body, expected_version: 1 });
        expect([stale.status, stale.error.code, stale.error.version]).toEqual([409, 'version_conflict', 2]);
        expect((await postAction(id, action, { ...body, expected_version: 2 })).status).toBe(200);
        const invalid = await postAction(id, action, { ...body, expected_version: null });
        expect([invalid.status, invalid.error.details?.[0]?.field]).toEqual([400, 'expected_version']);
      },
    );
  });

  describe('Read positions of conversations', () => {
    it('The read position of the agents only moves forwards', async () => {
      const inbox = await world.agentSocket(agent);
      const id = await startConversation();
      await sendAsVisitor(id, 'Two');
      await sendAsVisitor(id, 'Three');
      expect((await read(id)).unread).toEqual({ agents: 3, contact: 0 });
      const partly = await postAction(id, 'read', { seq: 2 });
      expect(partly.data).toMatchObject({ unread: { agents: 1, contact: 0 }, agent_last_read_seq: 2 });
      const frame = await inbox.next('conversation.read');
      expect(frame.data).toEqual({ id, reader: 'agents', last_read_seq: 2 });
      expect((await postAction(id, 'read', { seq: 1 })).data.agent_last_read_seq).toBe(2);
      expect((await postAction(id, 'read', { seq: 0 })).data.agent_last_read_seq).toBe(2);
      const whole = await postAction(id, 'read', { seq: 1_000_000_000_000 });
      expect(whole.data).toMatchObject({ unread: { agents: 0, contact: 0 }, agent_last_read_seq: 3 });
      expect(whole.data.version).toBe(1);
      await inbox.next('conversation.read', frame => frame.data.last_read_seq === 3);
      await inbox.settled();
      expect(inbox.of('conversation.read')).toHaveLength(2);
      await inbox.close();
    });

    it('The unread count of a visitor excludes private notes and timeline entries', async () => {
      const id = await startConversation();
      await postAction(id, 'take');
      await sendAsAgent(id, { content: 'One' });
      await sendAsAgent(id, { content: 'A note', private: true });
      await sendAsAgent(id, { content: 'Two' });
      const view = async () =>
        (await visitor.api.get<VisitorConversationRecord>(`/v1/widget/conversations/${id}`)).data;
      expect((await view()).unread).toEqual({ agents: 0, contact: 2 });
      const readBy = (seq: number) =>
        visitor.api.post<VisitorConversationRecord>(`/v1/widget/conversations/${id}/read`, { seq });
      expect((await readBy(3)).data.unread.contact).toBe(1);
      expect((await readBy(99)).data.unread.contact).toBe(0);
      expect(await read(id)).toMatchObject({ contact_last_read_seq: 5, agent_last_read_seq: 5, unread: { agents: 0 } });
    });

    it('The read position of a visitor stops at the last message that it can see', async () => {
      const id = await startConversation();
      await sendAsAgent(id, { content: 'A note', private: true });
      await visitor.api.post(`/v1/widget/conversations/${id}/read`, { seq: 99 });
      expect(await read(id)).toMatchObject({ contact_last_read_seq: 1, last_seq: 2 });
    });

    it('Unread counts are right after concurrent messages and reads', async () => {
      const id = await startConversation();
      await Promise.all([
        race(8, index => sendAsVisitor(id, `Contact ${index}`)),
        race(8, index => sendAsAgent(id, { content: `Agent ${index}` })),
        race(8, index => postAction(id, 'read', { seq: index })),
        race(8, index => visitor.api.post(`/v1/widget/conversations/${id}/read`, { seq: index })),
      ]);
      const seen = await read(id);
      const messages = await readMessages(id);
      const past = (mark: number, contact: boolean) =>
        messages.filter(({ seq, sender_type }) => seq > mark && (sender_type === 'contact') === contact).length;
      expect(seen.unread).toEqual({
        agents: past(seen.agent_last_read_seq, true),
        contact: past(seen.contact_last_read_seq, false),
      });
    });

    it.each([{}, { seq: -1 }, { seq: 1.5 }, { seq: '1' }, { seq: null }])(
      'A read position of %j is refused (400)',
      async body => {
        const id = await startConversation();
        for (const answer of [
          await postAction(id, 'read', body),
          await visitor.api.post(`/v1/widget/conversations/${id}/read`, body),
        ]) {
          expect([answer.status, answer.error.details?.[0]?.field]).toEqual([400, 'seq']);
        }
      },
    );
  });

  describe('Updating conversations', () => {
    const updateConversation = (id: string, body: object, as: Caller = agent.api) =>
      as.patch<Listed>(`${PATH}/${id}`, body);

    it('An agent updates subject, priority, tags and attributes, and the event has old and new values', async () => {
      const inbox = await world.agentSocket(agent);
      const id = await startConversation();
      const changed = await updateConversation(id, {
        subject: 'Parcel',
        priority: 'urgent',
        tags: ['late', 'late', 'vip'],
      });
      expect(changed.status).toBe(200);
      expect(changed.data).toMatchObject({ subject: 'Parcel', priority: 'urgent', tags: ['late', 'vip'], version: 2 });
      const frame = await inbox.next('conversation.updated');
      expect(frame.data).toMatchObject({
        id,
        version: 2,
        actor: { type: 'member', id: agent.memberId },
        changes: {
          subject: { from: null, to: 'Parcel' },
          priority: { from: 'none', to: 'urgent' },
          tags: { from: [], to: ['late', 'vip'] },
        },
      });
      const attributes = { snake_case: { camelCase: [1, null, 'ä'] }, plan: 'gold' };
      expect((await updateConversation(id, { custom_attributes: attributes })).data.custom_attributes).toEqual(
        attributes,
      );
      expect(await read(id)).toMatchObject({ subject: 'Parcel', tags: ['late', 'vip'], version: 3 });
      await inbox.close();
    });

    it('Updates of subject, tags and priority are not sent to the visitor', async () => {
      const page = await world.visitorSocket(visitor);
      const id = await startConversation();
      await updateConversation(id, { subject: 'Difficult customer', tags: ['difficult'], priority: 'low' });
      await postAction(id, 'resolve');
      await page.next('conversation.updated');
      expect(page.of('conversation.updated').map(frame => Object.keys(frame.data.changes as object))).toEqual([
        ['status'],
      ]);
      expect(JSON.stringify(page.frames)).not.toMatch(/difficult/i);
      await page.close();
    });

    it('An update with unchanged, no or read-only fields leaves the conversation unchanged', async () => {
      const id = await startConversation();
      const before = await read(id);
      for (const body of [
        {},
        { priority: 'none', subject: null, tags: [] },
        { status: 'resolved', assignee_id: UNKNOWN_ID },
      ]) {
        const answer = await updateConversation(id, body);
        expect([answer.status, answer.data]).toEqual([200, before]);
      }
    });

    it('Null clears the subject of a conversation and is refused for every other field (400)', async () => {
      const id = await startConversation();
      await updateConversation(id, { subject: 'Parcel' });
      expect((await updateConversation(id, { subject: null })).data.subject).toBeNull();
      for (const field of ['priority', 'tags', 'custom_attributes', 'expected_version']) {
        const answer = await updateConversation(id, { [field]: null });
        expect([answer.status, answer.error.details?.map(fault => fault.field)]).toEqual([400, [field]]);
      }
    });

    it.each([
      ['subject', ''],
      ['subject', 'x'.repeat(201)],
      ['priority', 'extreme'],
      ['tags', Array.from({ length: 21 }, (_nothing, index) => `t${index}`)],
      ['tags', ['x'.repeat(51)]],
      ['tags', ['']],
      ['tags', 'vip'],
      ['custom_attributes', []],
      ['custom_attributes', { text: 'x'.repeat(16 * 1024) }],
      ['custom_attributes', Object.fromEntries(Array.from({ length: 51 }, (_nothing, index) => [`k${index}`, 1]))],
      ['expected_version', 0],
      ['expected_version', '1'],
    ])('A conversation update with %s = %.40j is refused (400)', async (field, value) => {
      const answer = await updateConversation(await startConversation(), { [field]: value });
      expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
      expect(answer.error.details?.map(fault => fault.field)).toEqual([field]);
    });

    it('A conversation update with a stale expected_version changes nothing (409)', async () => {
      const id = await startConversation();
      expect((await updateConversation(id, { subject: 'First', expected_version: 1 })).data.version).toBe(2);
      const stale = await updateConversation(id, { subject: 'Second', expected_version: 1 });
      expect([stale.status, stale.error.code, stale.error.version]).toEqual([409, 'version_conflict', 2]);
      expect((await read(id)).subject).toBe('First');
    });

    it('Of concurrent updates with one expected_version exactly one succeeds, the others get 409', async () => {
      const id = await startConversation();
      const answers = await race(8, index => updateConversation(id, { subject: `By ${index}`, expected_version: 1 }));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 7 });
      expect((await read(id)).version).toBe(2);
    });

    it('Concurrent updates without expected_version all succeed, and each increments the version', async () => {
      const id = await startConversation();
      await race(8, index => updateConversation(id, { subject: `By ${index}` }));
      expect((await read(id)).version).toBe(9);
    });

    it('A message does not change the version of its conversation', async () => {
      const id = await startConversation();
      await sendAsVisitor(id, 'More');
      await sendAsAgent(id, { content: 'Much more' });
      expect((await read(id)).version).toBe(1);
    });
  });

  describe('Listing conversations', () => {
    const inbox = async (query: Record<string, string> = {}, as: Caller = agent.api) => {
      const answer = await as.get<Page<Listed>>(`${PATH}?${new URLSearchParams(query).toString()}`);
      expect(answer.status).toBe(200);
      return answer.data;
    };
    const numbers = async (query: Record<string, string> = {}, as: Caller = agent.api) =>
      (await inbox(query, as)).items.map(({ number }) => number);

    it('A conversation in the list is identical to the same conversation read alone', async () => {
      for (let number = 1; number <= 6; number += 1)
        await startConversation(await world.visitor(desk, { name: `Nr. ${number}` }));
      await startConversation();
      const attributes = {
        plan: 'gold',
        'odd "key"': [1.5, null, { deep: true }],
        hasOwnProperty: '\u2028 \\ \u{1F600}',
      };
      await sql(
        `UPDATE conversation SET custom_attributes = $2, csat = '{"score": 4, "comment": null, "rated_at": "2026-01-31T09:30:00.123000Z"}'
         WHERE workspace_id = $1 AND number % 2 = 0`,
        [desk.workspaceId, attributes],
      );
      for (const { id, number } of (await inbox()).items)
        if (number % 2 === 0) await agent.api.patch(`${PATH}/${id}`, { tags: ['a,b', '"c"', 'ü'] });
      await sql(
        `UPDATE conversation SET snoozed_until = '2027-01-01 00:00:00.007+02', waiting_since = now(),
           first_response_at = now(), resolved_at = now(), resolved_by = '{"type": "member", "id": null}',
           previous_conversation_id = id, subject = E'a\nb', version = 7, reopened_count = 2,
           unread_agents = 3, unread_contact = 4, agent_last_read_seq = 5, contact_last_read_seq = 6, priority = 'high'
         WHERE workspace_id = $1 AND number % 3 = 0`,
        [desk.workspaceId],
      );
      for (const query of ['', '&sort=created', '&sort=waiting', `&contact_id=${visitor.contactId}`]) {
        const { items } = (await agent.api.get<Page<Listed>>(`${PATH}?limit=200${query}`)).data;
        expect(items.length).toBeGreaterThan(0);
        for (const item of items) expect(JSON.stringify(item)).toBe(JSON.stringify(await read(item.id)));
      }
    });

    describe('Filtering the list of conversations', () => {
      let colleague: Agent;
      let shop: { id: string; widget_token: string };
      let anna: Visitor;

      /** Creates 1: open, unassigned; 2: open, owner's; 3: resolved; 4: pending, colleague's, on the shop channel. */
      beforeEach(async () => {
        colleague = await world.colleague(desk);
        shop = await world.channel(desk, { name: 'Shop' });
        anna = await world.visitor(desk, { name: 'Anna Åström', email: 'anna@shop.example' });
        await startConversation(visitor, 'one');
        const second = await startConversation(anna, 'two');
        await postAction(second, 'take');
        await agent.api.patch(`${PATH}/${second}`, { tags: ['vip', 'late'], priority: 'high' });
        const third = await startConversation(await world.visitor(desk, { name: '100% Bob_by' }), 'three');
        await agent.api.patch(`${PATH}/${third}`, { tags: ['late'], priority: 'low' });
        await postAction(third, 'resolve');
        const fourth = await startConversation(
          await world.visitor({ widgetToken: shop.widget_token }, { name: 'Cleo' }),
          'four',
        );
        await postAction(fourth, 'assign', { member_id: colleague.memberId });
        await setStatus(fourth, 'pending');
      });

      it('The list of conversations can be filtered by status', async () => {
        expect(await numbers()).toEqual([4, 3, 2, 1]);
        expect(await numbers({ status: 'open' })).toEqual([2, 1]);
        expect(await numbers({ status: 'resolved' })).toEqual([3]);
        expect(await numbers({ status: 'pending' })).toEqual([4]);
        expect(await numbers({ status: 'snoozed' })).toEqual([]);
      });

      it('The list of conversations can be filtered by assignee: me, none or a member', async () => {
        expect(await numbers({ assignee: 'me' })).toEqual([2]);
        expect(await numbers({ assignee: 'me' }, colleague.api)).toEqual([4]);
        expect(await numbers({ assignee: 'none' })).toEqual([3, 1]);
        expect(await numbers({ assignee: colleague.memberId })).toEqual([4]);
        expect(await numbers({ assignee: UNKNOWN_ID })).toEqual([]);
      });

      it('The list of conversations can be filtered by channel and contact; foreign ids match nothing', async () => {
        expect(await numbers({ channel_id: shop.id })).toEqual([4]);
        expect(await numbers({ channel_id: desk.channelId })).toEqual([3, 2, 1]);
        expect(await numbers({ contact_id: anna.contactId })).toEqual([2]);
        const elsewhere = await world.desk();
        expect(await numbers({ channel_id: elsewhere.channelId })).toEqual([]);
        expect(await numbers({ contact_id: UNKNOWN_ID })).toEqual([]);
      });

      it('The list of conversations can be filtered by tag and by priority', async () => {
        expect(await numbers({ tag: 'late' })).toEqual([3, 2]);
        expect(await numbers({ tag: 'vip' })).toEqual([2]);
        expect(await numbers({ tag: 'vi' })).toEqual([]);
        expect(await numbers({ priority: 'high' })).toEqual([2]);
        expect(await numbers({ priority: 'none' })).toEqual([4, 1]);
      });

      it('The list of conversations can be searched by contact name, e-mail and conversation number', async () => {
        expect(await numbers({ query: 'anna' })).toEqual([2]);
        expect(await numbers({ query: 'ÅSTRÖM' })).toEqual([2]);
        expect(await numbers({ query: '@EXAMPLE.com' })).toEqual([1]);
        expect(await numbers({ query: 'shop.example' })).toEqual([2]);
        expect(await numbers({ query: '3' })).toEqual([3]);
        expect(await numbers({ query: '#4' })).toEqual([4]);
        expect(await numbers({ query: ' #1 ' })).toEqual([1]);
        expect(await numbers({ query: '999999999999' })).toEqual([]);
        expect(await numbers({ query: '100%' })).toEqual([3]);
        expect(await numbers({ query: 'b_b' })).toEqual([3]);
        expect(await numbers({ query: '_' })).toEqual([3]);
        expect(await numbers({ query: '\\' })).toEqual([]);
        expect(await numbers({ query: 'nobody' })).toEqual([]);
      });

      it('The list of conversations can be filtered by the time of the last change', async () => {
        const [third] = (await inbox({ query: '#3' })).items;
        expect(await numbers({ updated_since: String(third?.updated_at) })).toEqual([4, 3]);
        expect(await numbers({ updated_since: '2000-01-01T00:00:00+02:00' })).toEqual([4, 3, 2, 1]);
        expect(await numbers({ updated_since: '2999-01-01T00:00:00.000000Z' })).toEqual([]);
        await sendAsVisitor(String((await inbox({ query: '#1' })).items[0]?.id), 'news');
        expect(await numbers({ updated_since: String(third?.updated_at) })).toEqual([1, 4, 3]);
      });

      it('The list of conversations can be filtered by several fields at once', async () => {
        const filters = { status: 'open', assignee: 'me', tag: 'vip', priority: 'high', query: 'anna' };
        const scope = { channel_id: desk.channelId, contact_id: anna.contactId };
        for (const sort of ['last_activity', 'created', 'waiting']) {
          expect(await numbers({ ...filters, ...scope, sort })).toEqual([2]);
        }
        expect(await numbers({ ...filters, status: 'resolved' })).toEqual([]);
      });

      it('The list of conversations contains a summary of each contact and no other contact field', async () => {
        const summaries = Object.fromEntries((await inbox()).items.map(({ number, contact }) => [number, contact]));
        expect(summaries[2]).toEqual({
          id: anna.contactId,
          name: 'Anna Åström',
          email: 'anna@shop.example',
          avatar_url: null,
          verified: false,
        });
        expect(summaries[4]).toMatchObject({ name: 'Cleo', email: null });
      });
    });

    describe('Validating list parameters', () => {
      it.each([
        ['status', 'closed'],
        ['assignee', 'everybody'],
        ['channel_id', 'shop'],
        ['contact_id', 'NULL'],
        ['priority', ''],
        ['tag', 'x'.repeat(51)],
        ['updated_since', 'yesterday'],
        ['updated_since', '2026-01-01'],
        ['sort', 'random'],
        ['limit', '0'],
        ['limit', '201'],
        ['limit', 'all'],
      ])('Listing conversations with %s=%s is refused (400)', async (name, value) => {
        const answer = await agent.api.get(`${PATH}?${new URLSearchParams({ [name]: value }).toString()}`);
        expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
        expect(answer.error.details?.map(fault => fault.field)).toEqual([name]);
      });

      it('A key cannot list conversations with assignee=me, because it is not a member (400)', async () => {
        const answer = await (await world.apiKey(desk)).get(`${PATH}?assignee=me`);
        expect([answer.status, answer.error.details?.[0]?.field]).toEqual([400, 'assignee']);
      });
    });

    describe('Sorting the list of conversations', () => {
      it('The list of conversations is sorted by the last message alone, newest first', async () => {
        const ids = [];
        for (let index = 0; index < 3; index += 1) ids.push(await startConversation(await world.visitor(desk)));
        expect(await numbers()).toEqual([3, 2, 1]);
        await sendAsAgent(String(ids[0]), { content: 'Hi' });
        expect(await numbers({ sort: 'last_activity' })).toEqual([1, 3, 2]);
        await sendAsAgent(String(ids[1]), { content: 'A note', private: true });
        expect(await numbers()).toEqual([2, 1, 3]);
        await agent.api.patch(`${PATH}/${ids[2]}`, { priority: 'high' });
        await postAction(String(ids[2]), 'take');
        await postAction(String(ids[2]), 'read', { seq: 1 });
        expect(await numbers()).toEqual([2, 1, 3]);
      });

      it('The list of conversations can be sorted by creation, newest first', async () => {
        for (let index = 0; index < 3; index += 1) await startConversation(await world.visitor(desk));
        const [oldest] = (await inbox({ query: '#1' })).items;
        await sendAsAgent(String(oldest?.id), { content: 'Hi' });
        expect(await numbers({ sort: 'created' })).toEqual([3, 2, 1]);
      });

      it('The list of conversations sorted by waiting contains only waiting contacts, longest wait first', async () => {
        const visitors = [];
        const ids = [];
        for (let index = 0; index < 4; index += 1) {
          visitors.push(await world.visitor(desk));
          ids.push(await startConversation(visitors[index]));
        }
        await sendAsAgent(String(ids[0]), { content: 'Hi' });
        await sendAsAgent(String(ids[1]), { content: 'A private note', private: true });
        await postAction(String(ids[2]), 'resolve');
        await sendAsVisitor(String(ids[3]), 'Still waiting', visitors[3]);
        expect(await numbers({ sort: 'waiting' })).toEqual([2, 4]);
        await sendAsVisitor(String(ids[0]), 'And then?', visitors[0]);
        expect(await numbers({ sort: 'waiting' })).toEqual([2, 4, 1]);
      });
    });

    describe('Paging the list of conversations', () => {
      it.each(['last_activity', 'created', 'waiting'])(
        'Paging conversations by %s has no gaps or repeats while others start',
        async sort => {
          for (let index = 0; index < 7; index += 1) await startConversation(await world.visitor(desk));
          // Three rows have equal times, so their order depends on the tie-breaker.
          await sql(
            `UPDATE conversation SET last_activity_at = $2, waiting_since = $2, created_at = $2
             WHERE workspace_id = $1 AND number IN (3, 4, 5)`,
            [desk.workspaceId, new Date().toISOString()],
          );
          const before = await numbers({ sort });
          expect(before).toHaveLength(7);
          const seen: number[] = [];
          let cursor: string | null | undefined;
          while (cursor !== null) {
            const page: Page<Listed> = await inbox({ sort, limit: '2', ...(cursor ? { cursor } : {}) });
            expect(page.items.length).toBeLessThanOrEqual(2);
            seen.push(...page.items.map(({ number }) => number));
            cursor = page.next_cursor;
            if (seen.length < 9) await startConversation(await world.visitor(desk));
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter(number => number <= 7)).toEqual(before);
        },
      );

      it('Paging conversations keeps the filters and ends with next_cursor null', async () => {
        for (let index = 0; index < 4; index += 1) await startConversation(await world.visitor(desk));
        const exact = await inbox({ limit: '4' });
        expect([exact.items.length, exact.next_cursor]).toEqual([4, null]);
        const first = await inbox({ limit: '3', status: 'open' });
        const second = await inbox({ limit: '3', status: 'open', cursor: String(first.next_cursor) });
        expect([second.items.length, second.next_cursor]).toEqual([1, null]);
      });

      const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
      const at = '2026-01-01T00:00:00.000Z';
      it.each([
        ['a cursor that is no cursor', 'nonsense'],
        ['a cursor of another sort order', cursor('conversations.waiting', at, UNKNOWN_ID)],
        ['a cursor of another list', cursor('messages', 'before', 1)],
        ['a cursor with a malformed time', cursor('conversations.last_activity', 'soon', UNKNOWN_ID)],
        [
          'a cursor with a time before the range of PostgreSQL',
          cursor('conversations.last_activity', '-200000-01-01T00:00:00.000Z', UNKNOWN_ID),
        ],
        [
          'a cursor with a time after the range of PostgreSQL',
          cursor('conversations.last_activity', '+275760-01-01T00:00:00.000Z', UNKNOWN_ID),
        ],
        ['a cursor with a malformed id', cursor('conversations.last_activity', at, "' OR 1=1")],
        ['a cursor with too few parts', cursor('conversations.last_activity', at)],
        ['a cursor with an object as a part', cursor('conversations.last_activity', at, {})],
      ])('Listing conversations with %s is refused (400 cursor_invalid)', async (_kind, text) => {
        const answer = await agent.api.get(`${PATH}?cursor=${encodeURIComponent(text)}`);
        expect([answer.status, answer.error.code]).toEqual([400, 'cursor_invalid']);
      });

      it('A visitor pages through its own conversations, newest first', async () => {
        const channel = await world.channel(desk, { single_conversation: false });
        const several = await world.visitor({ widgetToken: channel.widget_token });
        for (let index = 0; index < 5; index += 1) await startConversation(several);
        const list = (query: string) =>
          several.api.get<Page<VisitorConversationRecord>>(`/v1/widget/conversations?${query}`);
        const first = (await list('limit=3')).data;
        await startConversation(several);
        const second = (await list(`limit=3&cursor=${first.next_cursor}`)).data;
        expect([...first.items, ...second.items].map(({ number }) => number)).toEqual([5, 4, 3, 2, 1]);
        expect(second.next_cursor).toBeNull();
        expect((await list('cursor=nonsense')).error.code).toBe('cursor_invalid');
      });
    });

    describe('Counting conversations', () => {
      const readCounts = async (as: Caller = agent.api) => (await as.get<Counts>(`${PATH}/counts`)).data;
      const recount = async (memberId: string, channelIds: string[] | null = null): Promise<Counts | undefined> => {
        const [row] = await sql<Counts>(
          `SELECT count(*) FILTER (WHERE assignee_id = $2 AND status IN ('open', 'pending'))::int AS mine,
                  count(*) FILTER (WHERE assignee_id IS NULL AND status IN ('open', 'pending'))::int AS unassigned,
                  count(*) FILTER (WHERE status = 'open')::int AS open,
                  count(*) FILTER (WHERE status = 'pending')::int AS pending,
                  count(*) FILTER (WHERE status = 'snoozed')::int AS snoozed,
                  0 AS mentioned_unread,
                  count(waiting_since)::int AS waiting
           FROM conversation WHERE workspace_id = $1 AND ($3::uuid[] IS NULL OR channel_id = ANY($3))`,
          [desk.workspaceId, memberId, channelIds],
        );
        return row;
      };

      /** Returns the kinds whose stored count differs from a count of the conversations. */
      const findMiscounts = () =>
        sql(
          `SELECT * FROM (
             SELECT channel_id, status, coalesce(assignee_id, '00000000-0000-0000-0000-000000000000') AS assignee_id,
                    count(*)::int AS truth
             FROM conversation WHERE workspace_id = $1 AND status <> 'resolved' GROUP BY 1, 2, 3) kinds
           FULL JOIN (SELECT * FROM conversation_tally WHERE workspace_id = $1) tally
             USING (channel_id, status, assignee_id)
           WHERE coalesce(truth, 0) <> coalesce(count, 0)`,
          [desk.workspaceId],
        );

      it('Conversation counts match the conversations that the caller can see', async () => {
        expect(await readCounts()).toEqual({
          mine: 0,
          unassigned: 0,
          open: 0,
          pending: 0,
          snoozed: 0,
          mentioned_unread: 0,
          waiting: 0,
        });
        const colleague = await world.colleague(desk);
        const ids = await race(5, async () => startConversation(await world.visitor(desk)));
        await postAction(String(ids[0]), 'take');
        await postAction(String(ids[1]), 'assign', { member_id: colleague.memberId });
        await postAction(String(ids[2]), 'resolve');
        await postAction(String(ids[3]), 'take');
        await setStatus(String(ids[3]), 'pending');
        await setStatus(String(ids[4]), 'snoozed');
        expect(await readCounts()).toEqual({
          mine: 2,
          unassigned: 0,
          open: 2,
          pending: 1,
          snoozed: 1,
          mentioned_unread: 0,
          waiting: 4,
        });
        expect(await readCounts(colleague.api)).toMatchObject({ mine: 1 });
        expect(await readCounts(await world.apiKey(desk))).toMatchObject({ mine: 0, open: 2 });
        expect(await readCounts((await world.desk()).owner.api)).toMatchObject({ open: 0, unassigned: 0 });
      });

      it('Conversation counts equal a recount after concurrent actions of every kind', async () => {
        const shop = await world.channel(desk);
        const limited = await world.colleague(desk, { channel_ids: [shop.id] });
        const colleague = await world.colleague(desk);
        const visitors = await race(8, index =>
          world.visitor(index % 2 ? desk : { widgetToken: shop.widget_token as string }),
        );
        const ids = await race(8, index => startConversation(visitors[index]));
        const members = [agent.memberId, colleague.memberId, null];
        const moves = [
          (id: string) => postAction(id, 'take'),
          (id: string) => postAction(id, 'resolve'),
          (id: string) => postAction(id, 'reopen'),
          (id: string, round: number) => postAction(id, 'assign', { member_id: members[round % 3] }),
          (id: string) => sendAsAgent(id, { content: 'Hello' }),
          (id: string) => postAction(id, 'take', undefined, colleague.api),
        ];
        await race(8, async index => {
          for (let round = 0; round < 6; round += 1) {
            const answers = await Promise.all([
              moves[(index + round) % 6]?.(String(ids[index]), round),
              moves[(index * 3 + round * 5 + 1) % 6]?.(String(ids[index]), index),
              visitors[index]?.api.post('/v1/widget/conversations', { message: { content: 'Hello' } }),
            ]);
            for (const answer of answers) expect([200, 201, 409, 422]).toContain(answer?.status);
          }
        });
        expect(await findMiscounts()).toEqual([]);
        expect(await readCounts()).toEqual(await recount(agent.memberId));
        expect(await readCounts(colleague.api)).toEqual(await recount(colleague.memberId));
        expect(await readCounts(limited.api)).toEqual(await recount(limited.memberId, [shop.id]));
      });
    });

    describe('Listing 20,000 conversations', () => {
      interface PlanNode {
        'Node Type': string;
        'Index Name'?: string;
        Plans?: PlanNode[];
      }
      const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];

      let full: { desk: Desk; visitor: Visitor };

      beforeAll(async () => {
        const busy = await world.desk();
        full = { desk: busy, visitor: await world.visitor(busy) };
        await sql(
          `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at,
                                     waiting_since, created_at)
           SELECT $1, ('01960000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n, $2, $3,
                  CASE WHEN n % 10 = 0 THEN 'open' ELSE 'resolved' END, false, at,
                  CASE WHEN n % 50 = 0 THEN at END, at
           FROM generate_series(1, 20000) n, LATERAL (SELECT now() - (20000 - n) * interval '1 minute' AS at) times`,
          [busy.workspaceId, busy.channelId, full.visitor.contactId],
        );
        // A page joins its contacts, so the contact table must be large, too.
        await sql(`INSERT INTO contact (workspace_id, id) SELECT $1, gen_random_uuid() FROM generate_series(1, 2000)`, [
          busy.workspaceId,
        ]);
        await sql('ANALYZE conversation, contact');
      });
      beforeEach(() => {
        agent = full.desk.owner;
        visitor = full.visitor;
      });

      /** Returns the plan nodes of the list's statement, as the service sends it. */
      const explain = async (list: (cursor: string) => Promise<{ status: number }>, cursor: string) => {
        const spy = jest.spyOn(world.app.app.get(DataSource).logger, 'logQuery');
        expect((await list(cursor)).status).toBe(200);
        const [text, values] = spy.mock.calls.find(([query]) => query.includes('FROM "conversation"')) ?? [];
        spy.mockRestore();
        const explained = await sql<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
          `EXPLAIN (FORMAT JSON) ${text}`,
          values as unknown[],
        );
        return nodes(explained[0]?.['QUERY PLAN'][0]?.Plan as PlanNode);
      };

      it.each([
        ['last activity', 'sort=last_activity', 'ix_conversation_activity', ['Incremental Sort']],
        ['creation', 'sort=created', 'pk_conversation', []],
        ['waiting time', 'sort=waiting', 'ix_conversation_waiting', []],
      ])(
        'The list of conversations sorted by %s is read in the order of its index, on the first and the next page',
        async (_order, query, index, sorts) => {
          const list = (cursor: string) => agent.api.get<Page<Listed>>(`${PATH}?${query}${cursor}`);
          const first = await list('');
          for (const cursor of ['', `&cursor=${first.data.next_cursor}`]) {
            const plan = await explain(list, cursor);
            expect(plan.map(node => node['Node Type']).filter(type => type.includes('Sort'))).toEqual(sorts);
            expect(plan.map(node => node['Index Name']).filter(Boolean)).toEqual([index, 'pk_contact']);
          }
        },
      );

      it('The list of conversations of quiet channels is merged from the channel index', async () => {
        const quiet = await race(2, () => world.channel(full.desk));
        const limited = await world.colleague(full.desk, { channel_ids: quiet.map(({ id }) => id as string) });
        for (const [index, channel] of quiet.entries()) {
          await sql(
            `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at, created_at)
             SELECT $1, gen_random_uuid(), $4 + n, $2, $3, (ARRAY['open', 'resolved', 'snoozed', 'pending'])[1 + n % 4], false,
                    now() - interval '1 year' - (n / 3) * interval '1 minute', now()
             FROM generate_series(1, 90) n`,
            [full.desk.workspaceId, channel.id, full.visitor.contactId, 100_000 * (index + 1)],
          );
        }
        await sql('ANALYZE conversation');
        const rows = await sql<{ id: string; status: string; channel_id: string }>(
          `SELECT id, status, channel_id FROM conversation WHERE channel_id = ANY($1) ORDER BY last_activity_at DESC, id DESC`,
          [quiet.map(({ id }) => id)],
        );
        const idsWhere = (matches: (row: (typeof rows)[number]) => boolean) => rows.filter(matches).map(({ id }) => id);
        for (const [by, filter, expected] of [
          [limited.api, {}, idsWhere(() => true)],
          [limited.api, { status: 'open' }, idsWhere(({ status }) => status === 'open')],
          [agent.api, { channel_id: quiet[0]?.id }, idsWhere(row => row.channel_id === quiet[0]?.id)],
          [limited.api, { channel_id: full.desk.channelId }, []],
        ] as const) {
          const paged: string[] = [];
          const query = new URLSearchParams({ limit: '20', ...(filter as Record<string, string>) });
          for (let cursor: string | null = ''; cursor !== null;) {
            if (cursor) query.set('cursor', cursor);
            const page: Page<Listed> = (await by.get<Page<Listed>>(`${PATH}?${query.toString()}`)).data;
            paged.push(...page.items.map(({ id }) => id as string));
            cursor = page.next_cursor;
          }
          expect(paged).toEqual(expected);
          query.delete('cursor');
          const plan = await explain(() => by.get(`${PATH}?${query.toString()}`), '');
          const indexes = plan.map(node => node['Index Name']).filter(Boolean);
          expect(indexes).toContain('ix_conversation_channel');
          expect(indexes).not.toContain('ix_conversation_activity');
          expect(plan.map(node => node['Node Type'])).not.toContain('Seq Scan');
        }
      });

      it('A search of conversations uses the indexes for names, addresses and numbers', async () => {
        const others = await world.desk();
        await sql(
          `INSERT INTO contact (workspace_id, id, name, email)
           SELECT $1, gen_random_uuid(), 'Somebody ' || md5(n::text), md5(n::text) || '@example.net'
           FROM generate_series(1, 20000) n`,
          [others.workspaceId],
        );
        // VACUUM also flushes pending GIN entries and allows index-only scans.
        await sql('VACUUM ANALYZE contact');
        const [target] = await sql<{ id: string; name: string; email: string }>(
          `SELECT id, name, email FROM contact WHERE workspace_id = $1 ORDER BY id LIMIT 1`,
          [others.workspaceId],
        );
        const conversation = newId();
        await sql(
          `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at, created_at)
           SELECT workspace_id, CASE WHEN n = 4321 THEN $3::uuid ELSE gen_random_uuid() END, n, $2,
                  CASE WHEN n = 4321 THEN $4::uuid ELSE id END, 'open', false, now() - n * interval '1 minute', now()
           FROM (SELECT *, row_number() OVER () AS n FROM contact WHERE workspace_id = $1) AS contact`,
          [others.workspaceId, others.channelId, conversation, target?.id],
        );
        await sql('ANALYZE conversation');
        for (const [text, indexes] of [
          [target?.name.slice(9, 17), ['ix_contact_search', 'ix_conversation_contact']],
          [target?.email.slice(0, 8).toUpperCase(), ['ix_contact_search', 'ix_conversation_contact']],
          [target?.email.toUpperCase(), ['ix_contact_email_backwards', 'ix_contact_search', 'ix_conversation_contact']],
          [target?.email.slice(20, 36), ['ix_contact_email_backwards', 'ix_contact_search', 'ix_conversation_contact']],
          ['#4321', ['ix_contact_search', 'uq_conversation_number']],
          ['4321', ['ix_contact_search', 'uq_conversation_number']],
        ] as const) {
          const list = () =>
            others.owner.api.get<Page<Listed>>(`${PATH}?limit=200&query=${encodeURIComponent(String(text))}`);
          expect((await list()).data.items.map(({ id }) => id)).toContain(conversation);
          const plan = await explain(list, '');
          expect(plan.map(node => node['Index Name'])).toEqual(expect.arrayContaining([...indexes]));
          expect(plan.map(node => node['Node Type'])).not.toContain('Seq Scan');
        }
      });

      it("A visitor's own conversations are listed without sorting", async () => {
        const list = () => visitor.api.get('/v1/widget/conversations');
        const plan = await explain(list, '');
        expect(plan.map(node => node['Node Type']).filter(type => type.includes('Sort'))).toEqual([]);
      });

      it('Paging through 2,000 conversations by 200 returns full pages and every conversation once', async () => {
        let cursor: string | null | undefined;
        const seen = new Set<string>();
        for (let page = 0; page < 10; page += 1) {
          const { items, next_cursor } = await inbox({ limit: '200', ...(cursor ? { cursor } : {}) });
          expect(items).toHaveLength(200);
          for (const { id } of items) seen.add(id);
          cursor = next_cursor;
        }
        expect(seen.size).toBe(2000);
      });
    });
  });

  describe('Listing the conversations of a contact', () => {
    const listByContact = (contactId: string, query = '', as: Caller = agent.api) =>
      as.get<Page<Listed>>(`/v1/contacts/${contactId}/conversations${query}`);

    it('Conversations of a contact are paged newest first, resolved ones included', async () => {
      for (let index = 0; index < 3; index += 1) await postAction(await startAsAgent(), 'resolve');
      await startConversation(await world.visitor(desk));
      const first = (await listByContact(visitor.contactId, '?limit=2')).data;
      const second = (await listByContact(visitor.contactId, `?limit=2&cursor=${first.next_cursor}`)).data;
      expect([...first.items, ...second.items].map(({ number }) => number)).toEqual([3, 2, 1]);
      expect(second.next_cursor).toBeNull();
    });

    it("Conversations of a contact are limited to the caller's channels, and an invisible contact is 404", async () => {
      const externalId = unique('customer');
      const shop = await world.channel(desk);
      const here = await world.visitor(desk, { external_id: externalId });
      const there = await world.visitor({ widgetToken: shop.widget_token }, { external_id: externalId });
      await startConversation(here);
      const shown = await startConversation(there);
      const limited = await world.colleague(desk, { channel_ids: [shop.id] });
      const seen = await listByContact(here.contactId, '', limited.api);
      expect(seen.data.items.map(({ id }) => id)).toEqual([shown]);
      for (const answer of [
        await listByContact(visitor.contactId, '', limited.api),
        await listByContact(visitor.contactId, '', (await world.desk()).owner.api),
        await listByContact(UNKNOWN_ID),
        await listByContact('nonsense'),
      ]) {
        expect([answer.status, answer.error.code]).toEqual([404, 'not_found']);
      }
    });
  });

  describe('Access to conversations', () => {
    const routes = (id: string): [string, (api: Caller) => Promise<{ status: number; error: { code: string } }>][] => [
      ['GET', api => api.get(`${PATH}/${id}`)],
      ['PATCH', api => api.patch(`${PATH}/${id}`, { priority: 'high' })],
      ['take', api => api.post(`${PATH}/${id}/take`)],
      ['assign', api => api.post(`${PATH}/${id}/assign`, { member_id: null })],
      ['resolve', api => api.post(`${PATH}/${id}/resolve`)],
      ['reopen', api => api.post(`${PATH}/${id}/reopen`)],
      ['read', api => api.post(`${PATH}/${id}/read`, { seq: 1 })],
      ['messages', api => api.get(`${PATH}/${id}/messages`)],
      ['send', api => api.post(`${PATH}/${id}/messages`, { content: 'Hello' })],
      ['edit', api => api.patch(`${PATH}/${id}/messages/${UNKNOWN_ID}`, { content: 'Hello' })],
      ['unsend', api => api.delete(`${PATH}/${id}/messages/${UNKNOWN_ID}`)],
    ];

    it("An agent cannot reach another workspace's conversation on any route (404)", async () => {
      const id = await startConversation();
      const before = await read(id);
      const stranger = (await world.desk()).owner.api;
      for (const [route, call] of routes(id)) {
        const answer = await call(stranger);
        expect([route, answer.status, answer.error.code]).toEqual([route, 404, 'not_found']);
      }
      expect((await stranger.get<Page<Listed>>(PATH)).data.items).toEqual([]);
      expect((await stranger.get<Page<Listed>>(`${PATH}?contact_id=${visitor.contactId}`)).data.items).toEqual([]);
      expect(await read(id)).toEqual(before);
    });

    it('An unknown or malformed conversation id is 404 on every route', async () => {
      for (const id of [UNKNOWN_ID, 'nonsense', '%00', UNKNOWN_ID.toUpperCase().replace('7', 'A')]) {
        for (const [route, call] of routes(id)) {
          const answer = await call(agent.api);
          expect([route, answer.status, answer.error.code]).toEqual([route, 404, 'not_found']);
        }
      }
    });

    it('An agent limited to other channels sees a conversation in no list, read, write, count or contact', async () => {
      const shop = await world.channel(desk, { name: 'Shop' });
      const cleo = await world.visitor({ widgetToken: shop.widget_token }, { name: 'Cleo' });
      const limited = await world.colleague(desk, { channel_ids: [shop.id] });
      const hidden = await startConversation();
      const shown = await startConversation(cleo);
      const before = await read(hidden);

      for (const [route, call] of routes(hidden)) {
        const answer = await call(limited.api);
        expect([route, answer.status, answer.error.code]).toEqual([route, 404, 'not_found']);
      }
      expect(await read(hidden)).toEqual(before);
      const list = async (query: string) =>
        (await limited.api.get<Page<Listed>>(`${PATH}?${query}`)).data.items.map(({ id }) => id);
      expect(await list('')).toEqual([shown]);
      expect(await list('sort=created')).toEqual([shown]);
      expect(await list('sort=waiting')).toEqual([shown]);
      expect(await list(`channel_id=${desk.channelId}`)).toEqual([]);
      expect(await list(`contact_id=${visitor.contactId}`)).toEqual([]);
      expect(await list('query=Vera')).toEqual([]);
      expect(await list('query=1')).toEqual([]);
      expect((await limited.api.get<Counts>(`${PATH}/counts`)).data).toMatchObject({ open: 1, unassigned: 1 });

      const contacts = await limited.api.get<Page<ContactRecord>>('/v1/contacts');
      expect(contacts.data.items.map(({ id }) => id)).toEqual([cleo.contactId]);
      expect((await limited.api.get(`/v1/contacts/${visitor.contactId}`)).status).toBe(404);
      expect((await limited.api.get(`/v1/contacts/${cleo.contactId}`)).status).toBe(200);

      expect((await postAction(shown, 'take', undefined, limited.api)).status).toBe(200);
      expect((await sendAsAgent(shown, { content: 'Hello Cleo' }, limited.api)).status).toBe(201);
      expect((await postAction(shown, 'resolve', undefined, limited.api)).status).toBe(200);
    });

    it('A scoped agent cannot start a conversation on another channel or with a hidden contact (400)', async () => {
      const shop = await world.channel(desk);
      const limited = await world.colleague(desk, { channel_ids: [shop.id] });
      const cleo = await world.visitor({ widgetToken: shop.widget_token });
      const start = (contact_id: string, channel_id: string) => limited.api.post(PATH, { contact_id, channel_id });
      const outside = await start(cleo.contactId, desk.channelId);
      expect([outside.status, outside.error.details?.[0]?.field]).toEqual([400, 'channel_id']);
      const unknown = await start(visitor.contactId, shop.id);
      expect([unknown.status, unknown.error.details?.[0]?.field]).toEqual([400, 'contact_id']);
      expect((await start(cleo.contactId, shop.id)).status).toBe(201);
    });

    it('An agent without channels sees no conversations, counts or contacts', async () => {
      const channelless = await world.colleague(desk, { channel_ids: [] });
      const id = await startConversation();
      expect((await channelless.api.get<Page<Listed>>(PATH)).data.items).toEqual([]);
      expect((await channelless.api.get(`${PATH}/${id}`)).status).toBe(404);
      const none = { mine: 0, unassigned: 0, open: 0, pending: 0, snoozed: 0, mentioned_unread: 0, waiting: 0 };
      expect((await channelless.api.get<Counts>(`${PATH}/counts`)).data).toEqual(none);
      expect((await channelless.api.get<Page<ContactRecord>>('/v1/contacts')).data.items).toEqual([]);
    });

    it('A conversation stays readable after its channel was deleted', async () => {
      const channel = await world.channel(desk);
      const limited = await world.colleague(desk, { channel_ids: [channel.id] });
      const id = await startConversation(await world.visitor({ widgetToken: channel.widget_token }));
      await agent.api.delete(`/v1/channels/${channel.id}`);
      expect((await agent.api.get(`${PATH}/${id}`)).status).toBe(200);
      expect((await limited.api.get(`${PATH}/${id}/messages`)).status).toBe(200);
      expect((await postAction(id, 'resolve')).status).toBe(200);
    });

    it('A visitor cannot reach conversations of another visitor or another channel (404)', async () => {
      const externalId = unique('customer');
      const shop = await world.channel(desk);
      const here = await world.visitor(desk, { external_id: externalId });
      const there = await world.visitor({ widgetToken: shop.widget_token }, { external_id: externalId });
      expect(there.contactId).toBe(here.contactId);
      const id = await startConversation(here);
      for (const { api } of [visitor, there]) {
        const path = `/v1/widget/conversations/${id}`;
        for (const answer of [
          await api.get(path),
          await api.get(`${path}/messages`),
          await api.post(`${path}/messages`, { content: 'Hello' }),
          await api.post(`${path}/read`, { seq: 1 }),
        ]) {
          expect([answer.status, answer.error.code]).toEqual([404, 'not_found']);
        }
        expect((await api.get<Page<object>>('/v1/widget/conversations?contact_id=x')).data.items).toEqual([]);
      }
      expect((await here.api.get<Page<object>>('/v1/widget/conversations')).data.items).toHaveLength(1);
      expect(await startConversation(there)).not.toBe(id);
    });

    it('A key with conversations:read cannot change a conversation (403)', async () => {
      const id = await startConversation();
      const reader = await world.apiKey(desk, { scopes: ['conversations:read'] });
      expect((await reader.get(`${PATH}/${id}`)).status).toBe(200);
      expect((await reader.get(`${PATH}/${id}/messages`)).status).toBe(200);
      for (const [route, call] of routes(id).filter(([name]) => !['GET', 'messages', 'take'].includes(name))) {
        const answer = await call(reader);
        expect([route, answer.status, answer.error.code]).toEqual([route, 403, 'forbidden']);
      }
    });
  });
});
