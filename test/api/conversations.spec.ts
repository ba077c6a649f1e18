import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { newId } from '../../src/kernel/ids.js';
import type { ContactRecord, ContactSummary } from '../../src/modules/contacts/index.js';
import type { ConversationRecord, Status, VisitorConversationRecord } from '../../src/modules/conversations/index.js';
import type { MessageRecord } from '../../src/modules/conversations/index.js';
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
}

const PATH = '/v1/conversations';
const HOUR = 3600;
const NOWHERE = '01960000-0000-7000-8000-000000000000';

describe('conversations', () => {
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
  const begin = async (from = visitor, content = 'Hello?'): Promise<string> =>
    ((await world.conversation(from, content)) as VisitorConversationRecord).id;
  const act = (id: string, action: string, body?: object, as: Caller = agent.api) =>
    as.post<Listed>(`${PATH}/${id}/${action}`, body);
  const reply = (id: string, body: object, as: Caller = agent.api) =>
    as.post<MessageRecord>(`${PATH}/${id}/messages`, body);
  const say = (id: string, content: string, from = visitor, more: object = {}) =>
    from.api.post<MessageRecord>(`/v1/widget/conversations/${id}/messages`, { content, ...more });
  const history = async (id: string) =>
    (await agent.api.get<Page<MessageRecord>>(`${PATH}/${id}/messages?limit=200`)).data.items;

  /** Puts a conversation into a state that only later parts of the service lead to. */
  const put = async (id: string, status: Status) => {
    const control = status === 'pending' ? 'bot' : 'human';
    await sql('UPDATE conversation SET status = $2, control = $3 WHERE id = $1', [id, status, control]);
    await world.app.app.get(ConversationCountsRepairService).repair();
  };

  /** Has one resolved just when somebody who was refused beside it looks for its id. */
  const resolvedMeanwhile = async <T>(id: string, attempt: () => Promise<T>): Promise<T> => {
    const repository = world.app.app.get(ConversationsRepository);
    const look = jest.spyOn(repository, 'findUnresolved').mockImplementationOnce(async (...place) => {
      expect((await act(id, 'resolve')).status).toBe(200);
      return repository.findUnresolved(...place);
    });
    try {
      return await attempt();
    } finally {
      expect(look).toHaveBeenCalled();
      look.mockRestore();
    }
  };

  /** Moves the clock; visitors and agents come back with fresh tokens. */
  const later = async (hours: number, seconds = 0) => {
    world.app.clock.advance(hours * HOUR + seconds);
    const session = await visitor.api.post('/v1/widget/session', { widget_token: desk.widgetToken });
    expect(session.data.contact_id).toBe(visitor.contactId);
    visitor = { ...visitor, token: session.data.visitor_token, api: world.as(session.data.visitor_token) };
    const login = await world.anyone.post('/v1/auth/login', { email: agent.email, password: PASSWORD });
    agent = world.agentOf(login.data, agent.email);
  };

  describe('begun by a visitor', () => {
    it('are 201 with the first message, in the visitor’s view and in that alone', async () => {
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

    it('are whole for agents', async () => {
      const id = await begin();
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
        version: 1,
        created_at: seen.created_at,
        updated_at: seen.last_activity_at,
      });
    });

    it('a second time are the same one: 200, the message in the unresolved one', async () => {
      const id = await begin();
      const again = await visitor.api.post<Started>('/v1/widget/conversations', { message: { content: 'Anybody?' } });
      expect(again.status).toBe(200);
      expect(again.data.conversation).toMatchObject({ id, last_seq: 2, unread: { agents: 2, contact: 0 } });
      expect(again.data.message).toMatchObject({ conversation_id: id, seq: 2 });
    });

    it('after a resolved one are new, whatever the reopen window', async () => {
      const id = await begin();
      await act(id, 'resolve');
      const next = await visitor.api.post<Started>('/v1/widget/conversations', {
        message: { content: 'Another thing' },
      });
      expect(next.status).toBe(201);
      expect(next.data.conversation.id).not.toBe(id);
      expect(next.data.conversation.number).toBe(2);
    });

    it('are as many as wanted where the channel allows several', async () => {
      const channel = await world.channel(desk, { single_conversation: false });
      const several = await world.visitor({ widgetToken: channel.widget_token });
      const first = await begin(several);
      const second = await begin(several);
      expect(second).not.toBe(first);
      const own = await several.api.get<Page<VisitorConversationRecord>>('/v1/widget/conversations');
      expect(own.data.items.map(({ id }) => id)).toEqual([second, first]);
    });

    it('are numbered 1, 2, 3 … in a workspace, also when they race', async () => {
      const visitors = await race(12, () => world.visitor(desk));
      const started = await race(12, index => world.conversation(visitors[index] as Visitor));
      const numbers = (started as VisitorConversationRecord[]).map(({ number }) => number);
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_nothing, index) => index + 1));
      expect(await world.conversation(await world.visitor(await world.desk()))).toMatchObject({ number: 1 });
    });

    it('need a message that says something', async () => {
      const empty = await visitor.api.post('/v1/widget/conversations', {});
      expect([empty.status, empty.error.details?.[0]?.field]).toEqual([400, 'message']);
      const blank = await visitor.api.post('/v1/widget/conversations', { message: { content: ' \n' } });
      expect([blank.status, blank.error.code]).toEqual([400, 'content_required']);
      const silent = await visitor.api.post('/v1/widget/conversations', { message: null });
      expect(silent.status).toBe(400);
      expect((await visitor.api.get<Page<object>>('/v1/widget/conversations')).data.items).toEqual([]);
    });

    it('are told of before their first message', async () => {
      const inbox = await world.agentSocket(agent);
      const page = await world.visitorSocket(visitor);
      const id = await begin();
      await inbox.next('message.created');
      await page.next('message.created');
      for (const socket of [inbox, page]) {
        const types = socket.frames.filter(frame => frame.conversation_id === id).map(frame => frame.type);
        expect(types).toEqual(['conversation.created', 'message.created']);
        await socket.close();
      }
    });
  });

  describe('begun by staff', () => {
    const start = (body: object = {}, as: Caller = agent.api) =>
      as.post<Listed>(PATH, { contact_id: visitor.contactId, channel_id: desk.channelId, ...body });

    it('are 201, with a subject and a first message where given', async () => {
      const bare = await start();
      expect(bare.status).toBe(201);
      expect(bare.data).toMatchObject({ status: 'open', subject: null, last_message: null, last_seq: 0 });
      await act(bare.data.id, 'resolve');
      const full = await start({ subject: 'Your order', message: { content: 'It is late, sorry.' } });
      expect(full.status).toBe(201);
      expect(full.data).toMatchObject({
        subject: 'Your order',
        last_message: { preview: 'It is late, sorry.', sender_type: 'agent' },
        unread: { agents: 0, contact: 1 },
        waiting_since: null,
      });
      expect(full.data.first_response_at).toBe(full.data.last_activity_at);
      expect((await visitor.api.get(`/v1/widget/conversations/${full.data.id}`)).data).toMatchObject({ last_seq: 1 });
    });

    it('may begin with a private note, of which the visitor sees the conversation and not the note', async () => {
      const { data } = await start({ message: { content: 'Call her first', private: true } });
      const seen = await visitor.api.get(`/v1/widget/conversations/${data.id}`);
      expect(seen.data).toMatchObject({ last_message: null, last_seq: 0, unread: { agents: 0, contact: 0 } });
    });

    it('beside an unresolved one are 409 with its id', async () => {
      const id = await begin();
      const beside = await start({ message: { content: 'Hello' } });
      expect([beside.status, beside.error.code, beside.error.conversation_id]).toEqual([
        409,
        'conversation_exists',
        id,
      ]);
      expect(await read(id)).toMatchObject({ last_seq: 1 });
    });

    it('at once by six are one, and 409 with its id for the five', async () => {
      const answers = await race(6, () => start({ message: { content: 'Hello' } }));
      const made = answers.filter(({ status }) => status === 201);
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 5 });
      const refused = answers.filter(({ status }) => status === 409);
      expect(new Set(refused.map(({ error }) => error.conversation_id))).toEqual(new Set([made[0]?.data.id]));
    });

    it.each<Record<string, string>>([{}, { 'Idempotency-Key': 'start' }])(
      'beside one that is resolved at that very moment are made, with the next number: headers %j',
      async headers => {
        const id = await begin();
        const made = await resolvedMeanwhile(id, () =>
          agent.api.post<Listed>(PATH, { contact_id: visitor.contactId, channel_id: desk.channelId }, headers),
        );
        expect([made.status, made.data.status, made.data.number]).toEqual([201, 'open', 2]);
        expect(await read(id)).toMatchObject({ status: 'resolved' });
        expect(await world.app.app.get(ConversationCountsRepairService).repair()).toBe(0);
      },
    );

    it('on a channel that allows several are as many as wanted', async () => {
      const channel = await world.channel(desk, { single_conversation: false });
      const answers = await race(3, () => start({ channel_id: channel.id }));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    });

    it('with an API key need a sender for their message, and are not made without one', async () => {
      const key = await world.apiKey(desk);
      const unsigned = await start({ message: { content: 'Hello' } }, key);
      expect([unsigned.status, unsigned.error.code]).toEqual([400, 'sender_required']);
      expect((await agent.api.get<Page<Listed>>(PATH)).data.items).toEqual([]);
      const signed = await start({ message: { content: 'Hello', member_id: agent.memberId } }, key);
      expect(signed.status).toBe(201);
      expect(signed.data.number).toBe(1);
    });

    it('name a contact and a channel of the workspace: another’s, unknown, malformed or absent is 400', async () => {
      const elsewhere = await world.desk();
      const stranger = await world.visitor(elsewhere);
      for (const [field, value] of [
        ['contact_id', stranger.contactId],
        ['contact_id', NOWHERE],
        ['contact_id', 'vera'],
        ['contact_id', null],
        ['channel_id', elsewhere.channelId],
        ['channel_id', NOWHERE],
        ['channel_id', undefined],
      ] as const) {
        const answer = await start({ [field]: value });
        expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
        expect(answer.error.details?.map(fault => fault.field)).toEqual([field]);
      }
    });

    it('on a deleted channel are 400', async () => {
      const channel = await world.channel(desk);
      await agent.api.delete(`/v1/channels/${channel.id}`);
      expect((await start({ channel_id: channel.id })).status).toBe(400);
    });

    it('name the faults of their message by its path', async () => {
      const answer = await start({ subject: '', message: { content: 7, metadata: 'x' } });
      expect(answer.status).toBe(400);
      const fields = answer.error.details?.map(fault => fault.field).sort();
      expect(fields).toEqual(['message.content', 'message.metadata', 'subject']);
    });
  });

  describe('answered by the visitor after they were resolved', () => {
    it('reopen within the window', async () => {
      const id = await begin();
      await act(id, 'take');
      await act(id, 'resolve');
      await later(72, -1);
      const said = await say(id, 'One more thing');
      expect([said.status, said.data.conversation_id]).toEqual([201, id]);
      const seen = await read(id);
      expect(seen).toMatchObject({ status: 'open', reopened_count: 1, resolved_at: null, resolved_by: null });
      expect(seen.assignee_id).toBe(agent.memberId);
      expect(seen.waiting_since).toBe(said.data.created_at);
      const events = (await history(id)).filter(message => message.content_type === 'event' && !message.private);
      expect(events.map(({ metadata }) => metadata.event)).toEqual(['resolved', 'reopened']);
    });

    it('count each time that they were reopened', async () => {
      const id = await begin();
      for (const count of [1, 2]) {
        await act(id, 'resolve');
        await say(id, 'Again');
        expect(await read(id)).toMatchObject({ status: 'open', reopened_count: count });
      }
    });

    it('later stay resolved: 201 with a new conversation that names the one before', async () => {
      const id = await begin();
      await act(id, 'resolve');
      await later(72, 1);
      const said = await say(id, 'Hello again');
      expect(said.status).toBe(201);
      expect(said.data.conversation_id).not.toBe(id);
      expect(said.data.seq).toBe(1);
      const next = await read(said.data.conversation_id);
      expect(next).toMatchObject({ status: 'open', previous_conversation_id: id, number: 2, reopened_count: 0 });
      expect(await read(id)).toMatchObject({ status: 'resolved', reopened_count: 0 });
    });

    it('go by the channel’s own window', async () => {
      await agent.api.patch(`/v1/channels/${desk.channelId}`, { reopen_window_hours: 1 });
      const id = await begin();
      await act(id, 'resolve');
      await later(1, 1);
      expect((await say(id, 'Too late')).data.conversation_id).not.toBe(id);
    });

    it('later, and beside an unresolved one, speak in that', async () => {
      const id = await begin();
      await act(id, 'resolve');
      const present = await begin();
      await later(73);
      const said = await say(id, 'To the old address');
      expect([said.status, said.data.conversation_id]).toEqual([201, present]);
    });

    it('within the window, beside an unresolved one, are 409 with its id', async () => {
      const id = await begin();
      await act(id, 'resolve');
      const present = await begin();
      const said = await say(id, 'Which one?');
      expect([said.status, said.error.code]).toEqual([409, 'conversation_exists']);
      expect(said.error.conversation_id).toBe(present);
      expect(await read(id)).toMatchObject({ status: 'resolved', last_seq: 2 });
    });

    it('later and all at once make one new conversation, also where the channel allows several', async () => {
      for (const single of [true, false]) {
        const channel = await world.channel(desk, { single_conversation: single, reopen_window_hours: 0 });
        const someone = await world.visitor({ widgetToken: channel.widget_token });
        const id = await begin(someone);
        await act(id, 'resolve');
        world.app.clock.advance(1);
        const said = await race(12, index => say(id, `Late ${index}`, someone));
        const ids = new Set(said.map(({ data }) => data.conversation_id));
        expect(ids.size).toBe(1);
        expect(said.map(({ data }) => data.seq).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 12 }, (_nothing, index) => index + 1),
        );
        const [next] = [...ids];
        expect(await read(String(next))).toMatchObject({ previous_conversation_id: id });
      }
    });

    it('later and in reply to something that was said there leave the reference behind', async () => {
      const id = await begin();
      const [first] = await history(id);
      await act(id, 'resolve');
      await later(73);
      const said = await say(id, 'About that', visitor, { reply_to_id: first?.id });
      expect([said.status, said.data.reply_to_id]).toEqual([201, null]);
    });

    it('later with a message that they have already said are 200 with it, and begin nothing', async () => {
      const id = await begin();
      const first = await say(id, 'Said once', visitor, { client_message_id: 'c-1' });
      await act(id, 'resolve');
      await later(100);
      const again = await say(id, 'Said once', visitor, { client_message_id: 'c-1' });
      expect([again.status, again.data]).toEqual([200, first.data]);
      expect((await visitor.api.get<Page<object>>('/v1/widget/conversations')).data.items).toHaveLength(1);
    });
  });

  describe('change hands', () => {
    it('when an agent takes one, and the visitor sees who it talks to', async () => {
      const page = await world.visitorSocket(visitor);
      const id = await begin();
      const taken = await act(id, 'take');
      expect([taken.status, taken.data.assignee_id, taken.data.version]).toEqual([200, agent.memberId, 2]);
      const display = { name: 'Olivia Owner', avatar_url: null };
      const told = await page.next('conversation.updated');
      expect(told.data).toEqual({ id, changes: { assignee: { from: null, to: display } } });
      const seen = await visitor.api.get<VisitorConversationRecord>(`/v1/widget/conversations/${id}`);
      expect(seen.data.assignee).toEqual(display);
      await page.close();
    });

    it('and the visitor hears from whom to whom, by what they are called', async () => {
      const colleague = await world.colleague(desk, { name: 'Cara Colleague' });
      const page = await world.visitorSocket(visitor);
      const id = await begin();
      await act(id, 'take');
      await act(id, 'take', undefined, colleague.api);
      await act(id, 'assign', { member_id: null });
      await act(id, 'take');
      await act(id, 'resolve');
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

    it('and taking one’s own changes nothing', async () => {
      const id = await begin();
      await act(id, 'take');
      const again = await act(id, 'take');
      expect([again.status, again.data.version, again.data.last_seq]).toEqual([200, 2, 2]);
    });

    it('from one agent to the other, who may take what is another’s', async () => {
      const colleague = await world.colleague(desk);
      const id = await begin();
      await act(id, 'take');
      expect((await act(id, 'take', undefined, colleague.api)).data.assignee_id).toBe(colleague.memberId);
    });

    it('but no API key takes one, for it is nobody', async () => {
      const answer = await act(await begin(), 'take', undefined, await world.apiKey(desk));
      expect([answer.status, answer.error.code]).toEqual([401, 'agent_token_required']);
    });

    it('when they are assigned to a member, to another, to nobody', async () => {
      const colleague = await world.colleague(desk);
      const id = await begin();
      expect((await act(id, 'assign', { member_id: colleague.memberId })).data.assignee_id).toBe(colleague.memberId);
      expect((await act(id, 'assign', { member_id: agent.memberId })).data.assignee_id).toBe(agent.memberId);
      const key = await world.apiKey(desk);
      expect((await act(id, 'assign', { member_id: null }, key)).data).toMatchObject({ assignee_id: null, version: 4 });
      const entries = (await history(id)).filter(message => message.content_type === 'event');
      expect(entries.map(({ metadata }) => metadata.event)).toEqual(['assigned', 'assigned', 'unassigned']);
    });

    it('never to a deactivated member, nor to one who does not see the channel: 422', async () => {
      const left = await world.colleague(desk);
      await sql(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [left.memberId]);
      const blind = await world.colleague(desk, { channel_ids: [] });
      const elsewhere = await world.colleague(desk, { channel_ids: [(await world.channel(desk)).id] });
      const id = await begin();
      for (const { memberId } of [left, blind, elsewhere]) {
        const answer = await act(id, 'assign', { member_id: memberId });
        expect([answer.status, answer.error.code]).toEqual([422, 'assignee_unavailable']);
      }
      expect(await read(id)).toMatchObject({ assignee_id: null, version: 1, last_seq: 1 });
      const sees = await world.colleague(desk, { channel_ids: [desk.channelId] });
      expect((await act(id, 'assign', { member_id: sees.memberId })).status).toBe(200);
    });

    it('never to somebody who is not of this workspace: 400', async () => {
      const id = await begin();
      const stranger = (await world.desk()).owner.memberId;
      for (const member_id of [stranger, NOWHERE, 'me', undefined, 7]) {
        const answer = await act(id, 'assign', { member_id });
        expect([answer.status, answer.error.details?.[0]?.field]).toEqual([400, 'member_id']);
      }
    });

    it('to exactly one of those who take it with the version that they saw', async () => {
      const id = await begin();
      const agents = await race(4, () => world.colleague(desk));
      const answers = await race(4, index => act(id, 'take', { expected_version: 1 }, agents[index]?.api));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 3 });
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.error).toMatchObject({ code: 'version_conflict', version: 2 });
    });
  });

  describe('live by the table of transitions', () => {
    it('open, resolved, reopened: each with who and when, and an entry in the timeline', async () => {
      const id = await begin();
      const resolved = await act(id, 'resolve');
      expect(resolved.data).toMatchObject({
        status: 'resolved',
        resolved_by: { type: 'member', id: agent.memberId },
        waiting_since: null,
        version: 2,
      });
      expect(resolved.data.resolved_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const key = await world.apiKey(desk);
      const reopened = await act(id, 'reopen', undefined, key);
      expect(reopened.data).toMatchObject({
        status: 'open',
        resolved_at: null,
        resolved_by: null,
        reopened_count: 1,
        version: 3,
      });
      const again = await act(id, 'resolve', undefined, key);
      expect(again.data.resolved_by).toMatchObject({ type: 'api_key' });
    });

    it('an agent takes over from a bot by taking or by answering', async () => {
      const taken = await begin();
      await put(taken, 'pending');
      expect((await act(taken, 'take')).data).toMatchObject({ status: 'open', control: 'human' });
      await act(taken, 'resolve');
      const answered = await begin();
      await put(answered, 'pending');
      await reply(answered, { content: 'I am a person.' });
      expect(await read(answered)).toMatchObject({ status: 'open', control: 'human' });
    });

    it('a contact’s message wakes a snoozed one, an agent’s leaves it asleep', async () => {
      const id = await begin();
      await put(id, 'snoozed');
      await reply(id, { content: 'Until tomorrow.' });
      expect(await read(id)).toMatchObject({ status: 'snoozed' });
      await say(id, 'It is tomorrow.');
      expect(await read(id)).toMatchObject({ status: 'open', snoozed_until: null });
    });

    it.each(['pending', 'open', 'snoozed'] as const)('a %s one can be resolved', async status => {
      const id = await begin();
      await put(id, status);
      expect((await act(id, 'resolve')).data).toMatchObject({ status: 'resolved', snoozed_until: null });
    });

    const refused: { action: string; from: Status; to: Status }[] = [
      { action: 'resolve', from: 'resolved', to: 'resolved' },
      { action: 'take', from: 'resolved', to: 'open' },
      { action: 'reopen', from: 'pending', to: 'open' },
      { action: 'reopen', from: 'open', to: 'open' },
      { action: 'reopen', from: 'snoozed', to: 'open' },
    ];
    it.each(refused)('$action of one that is $from is 422, and nothing has changed', async ({ action, from, to }) => {
      const id = await begin();
      await put(id, from);
      const before = await read(id);
      const answer = await act(id, action);
      expect([answer.status, answer.error.code]).toEqual([422, 'invalid_transition']);
      expect(answer.error).toMatchObject({ from, to });
      expect(await read(id)).toEqual(before);
    });

    it('reopening beside an unresolved one is 409 with its id, and nothing has changed', async () => {
      const id = await begin();
      await act(id, 'resolve');
      const present = await begin();
      const before = await read(id);
      for (const answer of [await act(id, 'reopen'), await reply(id, { content: 'Still there?' })]) {
        expect([answer.status, answer.error.code]).toEqual([409, 'conversation_exists']);
        expect(answer.error.conversation_id).toBe(present);
      }
      expect(await read(id)).toEqual(before);
    });

    it('reopening beside one that is resolved at that very moment is done, by hand and by a message', async () => {
      const id = await begin();
      const ways: (() => Promise<{ status: number }>)[] = [
        () => act(id, 'reopen'),
        () => reply(id, { content: 'Still there?' }),
        () => say(id, 'Yes, I am.'),
      ];
      for (const [index, way] of ways.entries()) {
        await act(id, 'resolve');
        const present = await begin();
        const answer = await resolvedMeanwhile(present, way);
        expect([200, 201]).toContain(answer.status);
        expect(await read(id)).toMatchObject({ status: 'open', reopened_count: index + 1 });
        expect(await read(present)).toMatchObject({ status: 'resolved' });
      }
    });

    it('reopening races with a new one: the database keeps one unresolved', async () => {
      const id = await begin();
      await act(id, 'resolve');
      const start = () => visitor.api.post<Started>('/v1/widget/conversations', { message: { content: 'New' } });
      const answers = await Promise.all([act(id, 'reopen'), start(), act(id, 'reopen'), start()]);
      expect(answers.every(({ status }) => [200, 201, 409, 422].includes(status))).toBe(true);
      const unresolved = (await agent.api.get<Page<Listed>>(`${PATH}?status=open`)).data.items;
      expect(unresolved).toHaveLength(1);
    });

    it('one resolve of those that race is done, the others are refused', async () => {
      const id = await begin();
      const answers = await race(6, () => act(id, 'resolve'));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 422: 5 });
      expect((await history(id)).filter(({ metadata }) => metadata.event === 'resolved')).toHaveLength(1);
    });

    it.each(['take', 'resolve', 'reopen'])('%s takes an empty body without a content type', async action => {
      const id = await begin();
      if (action === 'reopen') await act(id, 'resolve');
      expect((await agent.api.post(`${PATH}/${id}/${action}`)).status).toBe(200);
    });

    it.each(['take', 'resolve', 'assign'])('%s with a stale version is 409, with the present one 200', async action => {
      const id = await begin();
      const body = action === 'assign' ? { member_id: agent.memberId } : {};
      await agent.api.patch(`${PATH}/${id}`, { priority: 'high' });
      const stale = await act(id, action, { ...body, expected_version: 1 });
      expect([stale.status, stale.error.code, stale.error.version]).toEqual([409, 'version_conflict', 2]);
      expect((await act(id, action, { ...body, expected_version: 2 })).status).toBe(200);
      const senseless = await act(id, action, { ...body, expected_version: null });
      expect([senseless.status, senseless.error.details?.[0]?.field]).toEqual([400, 'expected_version']);
    });
  });

  describe('are read', () => {
    it('by the agents up to a mark, which only moves on', async () => {
      const inbox = await world.agentSocket(agent);
      const id = await begin();
      await say(id, 'Two');
      await say(id, 'Three');
      expect((await read(id)).unread).toEqual({ agents: 3, contact: 0 });
      const partly = await act(id, 'read', { seq: 2 });
      expect(partly.data).toMatchObject({ unread: { agents: 1, contact: 0 }, agent_last_read_seq: 2 });
      const told = await inbox.next('conversation.read');
      expect(told.data).toEqual({ id, reader: 'agents', last_read_seq: 2 });
      expect((await act(id, 'read', { seq: 1 })).data.agent_last_read_seq).toBe(2);
      expect((await act(id, 'read', { seq: 0 })).data.agent_last_read_seq).toBe(2);
      const whole = await act(id, 'read', { seq: 1_000_000_000_000 });
      expect(whole.data).toMatchObject({ unread: { agents: 0, contact: 0 }, agent_last_read_seq: 3 });
      expect(whole.data.version).toBe(1);
      await inbox.next('conversation.read', frame => frame.data.last_read_seq === 3);
      await inbox.settled();
      expect(inbox.of('conversation.read')).toHaveLength(2);
      await inbox.close();
    });

    it('by the visitor, who counts neither notes nor entries of the timeline', async () => {
      const id = await begin();
      await act(id, 'take');
      await reply(id, { content: 'One' });
      await reply(id, { content: 'A note', private: true });
      await reply(id, { content: 'Two' });
      const view = async () =>
        (await visitor.api.get<VisitorConversationRecord>(`/v1/widget/conversations/${id}`)).data;
      expect((await view()).unread).toEqual({ agents: 1, contact: 2 });
      const readBy = (seq: number) =>
        visitor.api.post<VisitorConversationRecord>(`/v1/widget/conversations/${id}/read`, { seq });
      expect((await readBy(3)).data.unread.contact).toBe(1);
      expect((await readBy(99)).data.unread.contact).toBe(0);
      expect(await read(id)).toMatchObject({ contact_last_read_seq: 5, agent_last_read_seq: 0, unread: { agents: 1 } });
    });

    it('by the visitor no further than what it can see', async () => {
      const id = await begin();
      await reply(id, { content: 'A note', private: true });
      await visitor.api.post(`/v1/widget/conversations/${id}/read`, { seq: 99 });
      expect(await read(id)).toMatchObject({ contact_last_read_seq: 1, last_seq: 2 });
    });

    it('by many at once, and the counts are right afterwards', async () => {
      const id = await begin();
      await Promise.all([
        race(8, index => say(id, `Contact ${index}`)),
        race(8, index => reply(id, { content: `Agent ${index}` })),
        race(8, index => act(id, 'read', { seq: index })),
        race(8, index => visitor.api.post(`/v1/widget/conversations/${id}/read`, { seq: index })),
      ]);
      const seen = await read(id);
      const messages = await history(id);
      const past = (mark: number, contact: boolean) =>
        messages.filter(({ seq, sender_type }) => seq > mark && (sender_type === 'contact') === contact).length;
      expect(seen.unread).toEqual({
        agents: past(seen.agent_last_read_seq, true),
        contact: past(seen.contact_last_read_seq, false),
      });
    });

    it.each([{}, { seq: -1 }, { seq: 1.5 }, { seq: '1' }, { seq: null }])('and %j is no mark', async body => {
      const id = await begin();
      for (const answer of [
        await act(id, 'read', body),
        await visitor.api.post(`/v1/widget/conversations/${id}/read`, body),
      ]) {
        expect([answer.status, answer.error.details?.[0]?.field]).toEqual([400, 'seq']);
      }
    });
  });

  describe('are changed', () => {
    const patch = (id: string, body: object, as: Caller = agent.api) => as.patch<Listed>(`${PATH}/${id}`, body);

    it('in subject, priority, tags and attributes, each alone, told of by what became of what', async () => {
      const inbox = await world.agentSocket(agent);
      const id = await begin();
      const changed = await patch(id, { subject: 'Parcel', priority: 'urgent', tags: ['late', 'late', 'vip'] });
      expect(changed.status).toBe(200);
      expect(changed.data).toMatchObject({ subject: 'Parcel', priority: 'urgent', tags: ['late', 'vip'], version: 2 });
      const told = await inbox.next('conversation.updated');
      expect(told.data).toMatchObject({
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
      expect((await patch(id, { custom_attributes: attributes })).data.custom_attributes).toEqual(attributes);
      expect(await read(id)).toMatchObject({ subject: 'Parcel', tags: ['late', 'vip'], version: 3 });
      await inbox.close();
    });

    it('so that the visitor hears nothing of it', async () => {
      const page = await world.visitorSocket(visitor);
      const id = await begin();
      await patch(id, { subject: 'Difficult customer', tags: ['difficult'], priority: 'low' });
      await act(id, 'resolve');
      await page.next('conversation.updated');
      expect(page.of('conversation.updated').map(frame => Object.keys(frame.data.changes as object))).toEqual([
        ['status'],
      ]);
      expect(JSON.stringify(page.frames)).not.toMatch(/difficult/i);
      await page.close();
    });

    it('not at all by what is as it was, by nothing, or by what is not theirs to change', async () => {
      const id = await begin();
      const before = await read(id);
      for (const body of [
        {},
        { priority: 'none', subject: null, tags: [] },
        { status: 'resolved', assignee_id: NOWHERE },
      ]) {
        const answer = await patch(id, body);
        expect([answer.status, answer.data]).toEqual([200, before]);
      }
    });

    it('where null clears the subject, and is 400 for everything else', async () => {
      const id = await begin();
      await patch(id, { subject: 'Parcel' });
      expect((await patch(id, { subject: null })).data.subject).toBeNull();
      for (const field of ['priority', 'tags', 'custom_attributes', 'expected_version']) {
        const answer = await patch(id, { [field]: null });
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
    ])('within limits: %s %.40j is 400', async (field, value) => {
      const answer = await patch(await begin(), { [field]: value });
      expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
      expect(answer.error.details?.map(fault => fault.field)).toEqual([field]);
    });

    it('by the version that the caller knows: a stale one is 409 with the present one, and changes nothing', async () => {
      const id = await begin();
      expect((await patch(id, { subject: 'First', expected_version: 1 })).data.version).toBe(2);
      const stale = await patch(id, { subject: 'Second', expected_version: 1 });
      expect([stale.status, stale.error.code, stale.error.version]).toEqual([409, 'version_conflict', 2]);
      expect((await read(id)).subject).toBe('First');
    });

    it('by one of those who race with one version', async () => {
      const id = await begin();
      const answers = await race(8, index => patch(id, { subject: `By ${index}`, expected_version: 1 }));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 7 });
      expect((await read(id)).version).toBe(2);
    });

    it('by all of those who race with none, each counted', async () => {
      const id = await begin();
      await race(8, index => patch(id, { subject: `By ${index}` }));
      expect((await read(id)).version).toBe(9);
    });

    it('and a message changes no version', async () => {
      const id = await begin();
      await say(id, 'More');
      await reply(id, { content: 'Much more' });
      expect((await read(id)).version).toBe(1);
    });
  });

  describe('in the inbox', () => {
    const inbox = async (query: Record<string, string> = {}, as: Caller = agent.api) => {
      const answer = await as.get<Page<Listed>>(`${PATH}?${new URLSearchParams(query).toString()}`);
      expect(answer.status).toBe(200);
      return answer.data;
    };
    const numbers = async (query: Record<string, string> = {}, as: Caller = agent.api) =>
      (await inbox(query, as)).items.map(({ number }) => number);

    it('are what each of them is when it is read alone, to the letter', async () => {
      for (let number = 1; number <= 6; number += 1) await begin(await world.visitor(desk, { name: `Nr. ${number}` }));
      await begin();
      const attributes = {
        plan: 'gold',
        'odd "key"': [1.5, null, { deep: true }],
        hasOwnProperty: '\u2028 \\ \u{1F600}',
      };
      await sql(
        `UPDATE conversation SET custom_attributes = $2, tags = $3, csat = '{"score": 4, "comment": null}'
         WHERE workspace_id = $1 AND number % 2 = 0`,
        [desk.workspaceId, attributes, ['a,b', '"c"', 'ü']],
      );
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

    describe('are filtered', () => {
      let colleague: Agent;
      let shop: { id: string; widget_token: string };
      let anna: Visitor;

      /** 1 open, of nobody · 2 open, the owner's · 3 resolved · 4 pending, the colleague's, in the shop */
      beforeEach(async () => {
        colleague = await world.colleague(desk);
        shop = await world.channel(desk, { name: 'Shop' });
        anna = await world.visitor(desk, { name: 'Anna Åström', email: 'anna@shop.example' });
        await begin(visitor, 'one');
        const second = await begin(anna, 'two');
        await act(second, 'take');
        await agent.api.patch(`${PATH}/${second}`, { tags: ['vip', 'late'], priority: 'high' });
        const third = await begin(await world.visitor(desk, { name: '100% Bob_by' }), 'three');
        await agent.api.patch(`${PATH}/${third}`, { tags: ['late'], priority: 'low' });
        await act(third, 'resolve');
        const fourth = await begin(await world.visitor({ widgetToken: shop.widget_token }, { name: 'Cleo' }), 'four');
        await act(fourth, 'assign', { member_id: colleague.memberId });
        await put(fourth, 'pending');
      });

      it('by status', async () => {
        expect(await numbers()).toEqual([4, 3, 2, 1]);
        expect(await numbers({ status: 'open' })).toEqual([2, 1]);
        expect(await numbers({ status: 'resolved' })).toEqual([3]);
        expect(await numbers({ status: 'pending' })).toEqual([4]);
        expect(await numbers({ status: 'snoozed' })).toEqual([]);
      });

      it('by assignee: me, nobody, a member', async () => {
        expect(await numbers({ assignee: 'me' })).toEqual([2]);
        expect(await numbers({ assignee: 'me' }, colleague.api)).toEqual([4]);
        expect(await numbers({ assignee: 'none' })).toEqual([3, 1]);
        expect(await numbers({ assignee: colleague.memberId })).toEqual([4]);
        expect(await numbers({ assignee: NOWHERE })).toEqual([]);
      });

      it('by channel and by contact; those of others are just not there', async () => {
        expect(await numbers({ channel_id: shop.id })).toEqual([4]);
        expect(await numbers({ channel_id: desk.channelId })).toEqual([3, 2, 1]);
        expect(await numbers({ contact_id: anna.contactId })).toEqual([2]);
        const elsewhere = await world.desk();
        expect(await numbers({ channel_id: elsewhere.channelId })).toEqual([]);
        expect(await numbers({ contact_id: NOWHERE })).toEqual([]);
      });

      it('by tag and by priority', async () => {
        expect(await numbers({ tag: 'late' })).toEqual([3, 2]);
        expect(await numbers({ tag: 'vip' })).toEqual([2]);
        expect(await numbers({ tag: 'vi' })).toEqual([]);
        expect(await numbers({ priority: 'high' })).toEqual([2]);
        expect(await numbers({ priority: 'none' })).toEqual([4, 1]);
      });

      it('by what the contact is called, its e-mail, and the number', async () => {
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

      it('by when they last changed', async () => {
        const [third] = (await inbox({ query: '#3' })).items;
        expect(await numbers({ updated_since: String(third?.updated_at) })).toEqual([4, 3]);
        expect(await numbers({ updated_since: '2000-01-01T00:00:00+02:00' })).toEqual([4, 3, 2, 1]);
        expect(await numbers({ updated_since: '2999-01-01T00:00:00.000000Z' })).toEqual([]);
        await say(String((await inbox({ query: '#1' })).items[0]?.id), 'news');
        expect(await numbers({ updated_since: String(third?.updated_at) })).toEqual([1, 4, 3]);
      });

      it('by several at once', async () => {
        const filters = { status: 'open', assignee: 'me', tag: 'vip', priority: 'high', query: 'anna' };
        const places = { channel_id: desk.channelId, contact_id: anna.contactId };
        for (const sort of ['last_activity', 'created', 'waiting']) {
          expect(await numbers({ ...filters, ...places, sort })).toEqual([2]);
        }
        expect(await numbers({ ...filters, status: 'resolved' })).toEqual([]);
      });

      it('with each contact’s summary, and no other word of it', async () => {
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

    describe('are asked for', () => {
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
      ])('by sensible values: %s=%s is 400', async (name, value) => {
        const answer = await agent.api.get(`${PATH}?${new URLSearchParams({ [name]: value }).toString()}`);
        expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
        expect(answer.error.details?.map(fault => fault.field)).toEqual([name]);
      });

      it('by members: a key is nobody’s “me”: 400', async () => {
        const answer = await (await world.apiKey(desk)).get(`${PATH}?assignee=me`);
        expect([answer.status, answer.error.details?.[0]?.field]).toEqual([400, 'assignee']);
      });
    });

    describe('are sorted', () => {
      it('by the last thing said, the newest first; nothing but words moves them', async () => {
        const ids = [];
        for (let index = 0; index < 3; index += 1) ids.push(await begin(await world.visitor(desk)));
        expect(await numbers()).toEqual([3, 2, 1]);
        await reply(String(ids[0]), { content: 'Hi' });
        expect(await numbers({ sort: 'last_activity' })).toEqual([1, 3, 2]);
        await reply(String(ids[1]), { content: 'A note', private: true });
        expect(await numbers()).toEqual([2, 1, 3]);
        await agent.api.patch(`${PATH}/${ids[2]}`, { priority: 'high' });
        await act(String(ids[2]), 'take');
        await act(String(ids[2]), 'read', { seq: 1 });
        expect(await numbers()).toEqual([2, 1, 3]);
      });

      it('by when they began, the newest first', async () => {
        for (let index = 0; index < 3; index += 1) await begin(await world.visitor(desk));
        const [oldest] = (await inbox({ query: '#1' })).items;
        await reply(String(oldest?.id), { content: 'Hi' });
        expect(await numbers({ sort: 'created' })).toEqual([3, 2, 1]);
      });

      it('by how long the contact waits, the longest first, and only those who wait', async () => {
        const visitors = [];
        const ids = [];
        for (let index = 0; index < 4; index += 1) {
          visitors.push(await world.visitor(desk));
          ids.push(await begin(visitors[index]));
        }
        await reply(String(ids[0]), { content: 'Hi' });
        await reply(String(ids[1]), { content: 'A note is no answer', private: true });
        await act(String(ids[2]), 'resolve');
        await say(String(ids[3]), 'Still waiting', visitors[3]);
        expect(await numbers({ sort: 'waiting' })).toEqual([2, 4]);
        await say(String(ids[0]), 'And then?', visitors[0]);
        expect(await numbers({ sort: 'waiting' })).toEqual([2, 4, 1]);
      });
    });

    describe('are paged', () => {
      it.each(['last_activity', 'created', 'waiting'])(
        'by %s without a hole or a repeat, while others begin',
        async sort => {
          for (let index = 0; index < 7; index += 1) await begin(await world.visitor(desk));
          // the finest difference that rows can have, and none at all
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
            if (seen.length < 9) await begin(await world.visitor(desk));
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter(number => number <= 7)).toEqual(before);
        },
      );

      it('with the filters of the first page, to an end that says so', async () => {
        for (let index = 0; index < 4; index += 1) await begin(await world.visitor(desk));
        const exact = await inbox({ limit: '4' });
        expect([exact.items.length, exact.next_cursor]).toEqual([4, null]);
        const first = await inbox({ limit: '3', status: 'open' });
        const second = await inbox({ limit: '3', status: 'open', cursor: String(first.next_cursor) });
        expect([second.items.length, second.next_cursor]).toEqual([1, null]);
      });

      const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
      const at = '2026-01-01T00:00:00.000Z';
      it.each([
        ['no cursor at all', 'nonsense'],
        ['a cursor of another order', cursor('conversations.waiting', at, NOWHERE)],
        ['a cursor of another list', cursor('messages', 'before', 1)],
        ['a time that is none', cursor('conversations.last_activity', 'soon', NOWHERE)],
        ['a time before all times', cursor('conversations.last_activity', '-200000-01-01T00:00:00.000Z', NOWHERE)],
        ['a time after all times', cursor('conversations.last_activity', '+275760-01-01T00:00:00.000Z', NOWHERE)],
        ['an id that is none', cursor('conversations.last_activity', at, "' OR 1=1")],
        ['too few parts', cursor('conversations.last_activity', at)],
        ['a part that is an object', cursor('conversations.last_activity', at, {})],
      ])('and %s is 400', async (_what, text) => {
        const answer = await agent.api.get(`${PATH}?cursor=${encodeURIComponent(text)}`);
        expect([answer.status, answer.error.code]).toEqual([400, 'cursor_invalid']);
      });

      it('for the visitor too: its own, the newest first', async () => {
        const channel = await world.channel(desk, { single_conversation: false });
        const several = await world.visitor({ widgetToken: channel.widget_token });
        for (let index = 0; index < 5; index += 1) await begin(several);
        const list = (query: string) =>
          several.api.get<Page<VisitorConversationRecord>>(`/v1/widget/conversations?${query}`);
        const first = (await list('limit=3')).data;
        await begin(several);
        const second = (await list(`limit=3&cursor=${first.next_cursor}`)).data;
        expect([...first.items, ...second.items].map(({ number }) => number)).toEqual([5, 4, 3, 2, 1]);
        expect(second.next_cursor).toBeNull();
        expect((await list('cursor=nonsense')).error.code).toBe('cursor_invalid');
      });
    });

    describe('are counted', () => {
      const counts = async (as: Caller = agent.api) => (await as.get<Counts>(`${PATH}/counts`)).data;
      const recount = async (memberId: string, channelIds: string[] | null = null): Promise<Counts | undefined> => {
        const [row] = await sql<Counts>(
          `SELECT count(*) FILTER (WHERE assignee_id = $2 AND status IN ('open', 'pending'))::int AS mine,
                  count(*) FILTER (WHERE assignee_id IS NULL AND status IN ('open', 'pending'))::int AS unassigned,
                  count(*) FILTER (WHERE status = 'open')::int AS open,
                  count(*) FILTER (WHERE status = 'pending')::int AS pending,
                  count(*) FILTER (WHERE status = 'snoozed')::int AS snoozed
           FROM conversation WHERE workspace_id = $1 AND ($3::uuid[] IS NULL OR channel_id = ANY($3))`,
          [desk.workspaceId, memberId, channelIds],
        );
        return row;
      };

      /** The kinds that the tally has otherwise than the conversations themselves. */
      const miscounted = () =>
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

      it('as what they are, for whoever asks', async () => {
        expect(await counts()).toEqual({ mine: 0, unassigned: 0, open: 0, pending: 0, snoozed: 0 });
        const colleague = await world.colleague(desk);
        const ids = await race(5, async () => begin(await world.visitor(desk)));
        await act(String(ids[0]), 'take');
        await act(String(ids[1]), 'assign', { member_id: colleague.memberId });
        await act(String(ids[2]), 'resolve');
        await act(String(ids[3]), 'take');
        await put(String(ids[3]), 'pending');
        await put(String(ids[4]), 'snoozed');
        expect(await counts()).toEqual({ mine: 2, unassigned: 0, open: 2, pending: 1, snoozed: 1 });
        expect(await counts(colleague.api)).toMatchObject({ mine: 1 });
        expect(await counts(await world.apiKey(desk))).toMatchObject({ mine: 0, open: 2 });
        expect(await counts((await world.desk()).owner.api)).toMatchObject({ open: 0, unassigned: 0 });
      });

      it('the same as by a recount, after everything has raced with everything', async () => {
        const shop = await world.channel(desk);
        const limited = await world.colleague(desk, { channel_ids: [shop.id] });
        const colleague = await world.colleague(desk);
        const visitors = await race(8, index =>
          world.visitor(index % 2 ? desk : { widgetToken: shop.widget_token as string }),
        );
        const ids = await race(8, index => begin(visitors[index]));
        const members = [agent.memberId, colleague.memberId, null];
        const moves = [
          (id: string) => act(id, 'take'),
          (id: string) => act(id, 'resolve'),
          (id: string) => act(id, 'reopen'),
          (id: string, round: number) => act(id, 'assign', { member_id: members[round % 3] }),
          (id: string) => reply(id, { content: 'Hello' }),
          (id: string) => act(id, 'take', undefined, colleague.api),
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
        expect(await miscounted()).toEqual([]);
        expect(await counts()).toEqual(await recount(agent.memberId));
        expect(await counts(colleague.api)).toEqual(await recount(colleague.memberId));
        expect(await counts(limited.api)).toEqual(await recount(limited.memberId, [shop.id]));
      });
    });

    describe('at 20,000', () => {
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
        // a page looks its contacts up among many
        await sql(`INSERT INTO contact (workspace_id, id) SELECT $1, gen_random_uuid() FROM generate_series(1, 2000)`, [
          busy.workspaceId,
        ]);
        await sql('ANALYZE conversation, contact');
      });
      beforeEach(() => {
        agent = full.desk.owner;
        visitor = full.visitor;
      });

      /** The plan of the list's own statement, as the service sends it. */
      const planOf = async (list: (cursor: string) => Promise<{ status: number }>, cursor: string) => {
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
        ['the inbox', 'sort=last_activity', 'ix_conversation_activity'],
        ['the inbox by age', 'sort=created', 'pk_conversation'],
        ['those who wait', 'sort=waiting', 'ix_conversation_waiting'],
      ])('%s is read from its index, unsorted, on the first page and the next', async (_what, query, index) => {
        const list = (cursor: string) => agent.api.get<Page<Listed>>(`${PATH}?${query}${cursor}`);
        const first = await list('');
        for (const cursor of ['', `&cursor=${first.data.next_cursor}`]) {
          const plan = await planOf(list, cursor);
          expect(plan.map(node => node['Node Type']).filter(type => type.includes('Sort'))).toEqual([]);
          expect(plan.map(node => node['Index Name']).filter(Boolean)).toEqual([index, 'pk_contact']);
        }
      });

      it('of channels whose last words lie far back are merged out of the channels’ own index', async () => {
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
        const kept = (keep: (row: (typeof rows)[number]) => boolean) => rows.filter(keep).map(({ id }) => id);
        for (const [by, filter, expected] of [
          [limited.api, {}, kept(() => true)],
          [limited.api, { status: 'open' }, kept(({ status }) => status === 'open')],
          [agent.api, { channel_id: quiet[0]?.id }, kept(row => row.channel_id === quiet[0]?.id)],
          [limited.api, { channel_id: full.desk.channelId }, []],
        ] as const) {
          const walked: string[] = [];
          const query = new URLSearchParams({ limit: '20', ...(filter as Record<string, string>) });
          for (let cursor: string | null = ''; cursor !== null;) {
            if (cursor) query.set('cursor', cursor);
            const page: Page<Listed> = (await by.get<Page<Listed>>(`${PATH}?${query.toString()}`)).data;
            walked.push(...page.items.map(({ id }) => id as string));
            cursor = page.next_cursor;
          }
          expect(walked).toEqual(expected);
          query.delete('cursor');
          const plan = await planOf(() => by.get(`${PATH}?${query.toString()}`), '');
          const indexes = plan.map(node => node['Index Name']).filter(Boolean);
          expect(indexes).toContain('ix_conversation_channel');
          expect(indexes).not.toContain('ix_conversation_activity');
          expect(plan.map(node => node['Node Type'])).not.toContain('Seq Scan');
        }
      });

      it('what a contact is called is found by its trigrams, an address by its local part, a number by its own index', async () => {
        const others = await world.desk();
        await sql(
          `INSERT INTO contact (workspace_id, id, name, email)
           SELECT $1, gen_random_uuid(), 'Somebody ' || md5(n::text), md5(n::text) || '@example.net'
           FROM generate_series(1, 20000) n`,
          [others.workspaceId],
        );
        // also writes what waits to be indexed, and lets keys be checked by an index
        await sql('VACUUM ANALYZE contact');
        const [sought] = await sql<{ id: string; name: string; email: string }>(
          `SELECT id, name, email FROM contact WHERE workspace_id = $1 ORDER BY id LIMIT 1`,
          [others.workspaceId],
        );
        const conversation = newId();
        await sql(
          `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at, created_at)
           SELECT workspace_id, CASE WHEN n = 4321 THEN $3::uuid ELSE gen_random_uuid() END, n, $2,
                  CASE WHEN n = 4321 THEN $4::uuid ELSE id END, 'open', false, now() - n * interval '1 minute', now()
           FROM (SELECT *, row_number() OVER () AS n FROM contact WHERE workspace_id = $1) AS contact`,
          [others.workspaceId, others.channelId, conversation, sought?.id],
        );
        await sql('ANALYZE conversation');
        for (const [text, indexes] of [
          [sought?.name.slice(9, 17), ['ix_contact_search', 'ix_conversation_contact']],
          [sought?.email.slice(0, 8).toUpperCase(), ['ix_contact_search', 'ix_conversation_contact']],
          [sought?.email.toUpperCase(), ['ix_contact_email_backwards', 'ix_contact_search', 'ix_conversation_contact']],
          [sought?.email.slice(20, 36), ['ix_contact_email_backwards', 'ix_contact_search', 'ix_conversation_contact']],
          ['#4321', ['ix_contact_search', 'uq_conversation_number']],
          ['4321', ['ix_contact_search', 'uq_conversation_number']],
        ] as const) {
          const list = () =>
            others.owner.api.get<Page<Listed>>(`${PATH}?limit=200&query=${encodeURIComponent(String(text))}`);
          expect((await list()).data.items.map(({ id }) => id)).toContain(conversation);
          const plan = await planOf(list, '');
          expect(plan.map(node => node['Index Name'])).toEqual(expect.arrayContaining([...indexes]));
          expect(plan.map(node => node['Node Type'])).not.toContain('Seq Scan');
        }
      });

      it('a visitor’s own are read from theirs', async () => {
        const list = () => visitor.api.get('/v1/widget/conversations');
        const plan = await planOf(list, '');
        expect(plan.map(node => node['Node Type']).filter(type => type.includes('Sort'))).toEqual([]);
      });

      it('a page of 200 is complete, and so is the walk to the end', async () => {
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

  describe('of a contact', () => {
    const of = (contactId: string, query = '', as: Caller = agent.api) =>
      as.get<Page<Listed>>(`/v1/contacts/${contactId}/conversations${query}`);

    it('are listed, the newest first, page by page, resolved ones too', async () => {
      for (let index = 0; index < 3; index += 1) await act(await begin(), 'resolve');
      await begin(await world.visitor(desk));
      const first = (await of(visitor.contactId, '?limit=2')).data;
      const second = (await of(visitor.contactId, `?limit=2&cursor=${first.next_cursor}`)).data;
      expect([...first.items, ...second.items].map(({ number }) => number)).toEqual([3, 2, 1]);
      expect(second.next_cursor).toBeNull();
    });

    it('are those of the caller’s channels alone; a contact it does not know is 404', async () => {
      const externalId = unique('customer');
      const shop = await world.channel(desk);
      const here = await world.visitor(desk, { external_id: externalId });
      const there = await world.visitor({ widgetToken: shop.widget_token }, { external_id: externalId });
      await begin(here);
      const shown = await begin(there);
      const limited = await world.colleague(desk, { channel_ids: [shop.id] });
      const seen = await of(here.contactId, '', limited.api);
      expect(seen.data.items.map(({ id }) => id)).toEqual([shown]);
      for (const answer of [
        await of(visitor.contactId, '', limited.api),
        await of(visitor.contactId, '', (await world.desk()).owner.api),
        await of(NOWHERE),
        await of('nonsense'),
      ]) {
        expect([answer.status, answer.error.code]).toEqual([404, 'not_found']);
      }
    });
  });

  describe('are hidden', () => {
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
      ['edit', api => api.patch(`${PATH}/${id}/messages/${NOWHERE}`, { content: 'Hello' })],
      ['unsend', api => api.delete(`${PATH}/${id}/messages/${NOWHERE}`)],
    ];

    it('from another workspace, on every route: 404', async () => {
      const id = await begin();
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

    it('as those that are not there, and those whose id is none: 404', async () => {
      for (const id of [NOWHERE, 'nonsense', '%00', NOWHERE.toUpperCase().replace('7', 'A')]) {
        for (const [route, call] of routes(id)) {
          const answer = await call(agent.api);
          expect([route, answer.status, answer.error.code]).toEqual([route, 404, 'not_found']);
        }
      }
    });

    it('from an agent of other channels, in lists, reads, writes, counts and contacts', async () => {
      const shop = await world.channel(desk, { name: 'Shop' });
      const cleo = await world.visitor({ widgetToken: shop.widget_token }, { name: 'Cleo' });
      const limited = await world.colleague(desk, { channel_ids: [shop.id] });
      const hidden = await begin();
      const shown = await begin(cleo);
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

      expect((await act(shown, 'take', undefined, limited.api)).status).toBe(200);
      expect((await reply(shown, { content: 'Hello Cleo' }, limited.api)).status).toBe(201);
      expect((await act(shown, 'resolve', undefined, limited.api)).status).toBe(200);
    });

    it('so that such an agent begins none outside of its channels, nor with a contact it does not know', async () => {
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

    it('altogether from an agent without a channel', async () => {
      const blind = await world.colleague(desk, { channel_ids: [] });
      const id = await begin();
      expect((await blind.api.get<Page<Listed>>(PATH)).data.items).toEqual([]);
      expect((await blind.api.get(`${PATH}/${id}`)).status).toBe(404);
      const none = { mine: 0, unassigned: 0, open: 0, pending: 0, snoozed: 0 };
      expect((await blind.api.get<Counts>(`${PATH}/counts`)).data).toEqual(none);
      expect((await blind.api.get<Page<ContactRecord>>('/v1/contacts')).data.items).toEqual([]);
    });

    it('not from anybody because their channel was deleted: they stay readable', async () => {
      const channel = await world.channel(desk);
      const limited = await world.colleague(desk, { channel_ids: [channel.id] });
      const id = await begin(await world.visitor({ widgetToken: channel.widget_token }));
      await agent.api.delete(`/v1/channels/${channel.id}`);
      expect((await agent.api.get(`${PATH}/${id}`)).status).toBe(200);
      expect((await limited.api.get(`${PATH}/${id}/messages`)).status).toBe(200);
      expect((await act(id, 'resolve')).status).toBe(200);
    });

    it('from every other visitor, and from the contact itself on another channel', async () => {
      const externalId = unique('customer');
      const shop = await world.channel(desk);
      const here = await world.visitor(desk, { external_id: externalId });
      const there = await world.visitor({ widgetToken: shop.widget_token }, { external_id: externalId });
      expect(there.contactId).toBe(here.contactId);
      const id = await begin(here);
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
      expect(await begin(there)).not.toBe(id);
    });

    it('behind the permission of a key: reading is not writing', async () => {
      const id = await begin();
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
