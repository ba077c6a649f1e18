import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConversationRecord, VisitorConversationRecord } from '../../src/modules/conversations/index.js';
import type { MessageRecord } from '../../src/modules/messages/index.js';
import { newId } from '../../src/kernel/ids.js';
import { giveControl } from '../support/bot-control.js';
import type { Answer, Caller } from '../support/http.js';
import { countsOf, race } from '../support/race.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

interface Page {
  items: MessageRecord[];
  next_cursor: string | null;
}
interface Started {
  conversation: VisitorConversationRecord;
  message: MessageRecord;
}

const NOWHERE = '01960000-0000-7000-8000-000000000000';
const MINUTE = 60;
const WIRE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const oneTo = (count: number) => Array.from({ length: count }, (_nothing, index) => index + 1);

describe('Messages', () => {
  let world: World;
  let desk: Desk;
  let agent: Agent;
  let visitor: Visitor;
  /** The id of a conversation that the visitor started with `Hello?`. */
  let id: string;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    desk = await world.desk();
    agent = desk.owner;
    visitor = await world.visitor(desk, { name: 'Vera' });
    id = await begin();
  });
  afterEach(() => world.app.clock.reset());

  const sql = <T extends object>(text: string, values: unknown[] = []) => world.app.database.query<T>(text, values);
  const begin = async (from = visitor) => ((await world.conversation(from)) as VisitorConversationRecord).id;
  const path = (conversationId = id) => `/v1/conversations/${conversationId}`;
  const visitorPath = (conversationId = id) => `/v1/widget/conversations/${conversationId}`;
  const read = async () => (await agent.api.get<ConversationRecord>(path())).data;
  const send = (body: object, as: Caller = agent.api, headers: Record<string, string> = {}) =>
    as.post<MessageRecord>(`${path()}/messages`, body, headers);
  const sendAsVisitor = (body: object, headers: Record<string, string> = {}) =>
    visitor.api.post<MessageRecord>(`${visitorPath()}/messages`, body, headers);
  const edit = (messageId: string, content: unknown, as: Caller = agent.api) =>
    as.patch<MessageRecord>(`${path()}/messages/${messageId}`, { content });
  const unsend = (messageId: string, as: Caller = agent.api) => as.delete(`${path()}/messages/${messageId}`);
  const page = async (query: string, as: Caller = agent.api) =>
    (await as.get<Page>(`${path()}/messages?${query}`)).data;
  const visitorPage = async (query = '') => (await visitor.api.get<Page>(`${visitorPath()}/messages?${query}`)).data;
  const history = async () => (await page('limit=200')).items;
  const seqs = ({ items }: Page) => items.map(({ seq }) => seq);
  const failure = ({ status, error }: Answer<unknown>) => [status, error.code];

  /** Creates a bot of the workspace directly in the database. @returns its id */
  const bot = async (): Promise<string> => {
    const botId = newId();
    await sql(`INSERT INTO bot (workspace_id, id, kind, name) VALUES ($1, $2, 'custom', 'Botty')`, [
      desk.workspaceId,
      botId,
    ]);
    return botId;
  };
  const botInControl = async (): Promise<string> => {
    const botId = await bot();
    await giveControl(world, id, botId);
    return botId;
  };

  /** Advances the clock and logs the agent in again, so that its token is valid. */
  const later = async (seconds: number) => {
    world.app.clock.advance(seconds);
    const login = await world.anyone.post('/v1/auth/login', { email: agent.email, password: PASSWORD });
    agent = world.agentOf(login.data, agent.email);
  };

  describe('Message fields', () => {
    it('An agent’s message has every field of the specification', async () => {
      const [first] = await history();
      const metadata = { snake_case: { camelCase: [1, null, 'ä'] }, '': '' };
      const more = { content_type: 'image', client_message_id: 'c-1', private: true, reply_to_id: first?.id };
      const sent = await send({ content: 'A note', metadata, ...more });
      expect(sent.status).toBe(201);
      expect(sent.data).toEqual({
        id: sent.data.id,
        conversation_id: id,
        workspace_id: desk.workspaceId,
        seq: 2,
        sender_type: 'agent',
        sender_id: agent.memberId,
        sender_name: 'Olivia Owner',
        sender_avatar_url: null,
        content: 'A note',
        attachments: [],
        metadata,
        ...more,
        created_at: expect.stringMatching(WIRE_TIME),
        edited_at: null,
        deleted_at: null,
      });
      expect((await history()).at(-1)).toEqual(sent.data);
    });

    it('A visitor’s message has every field of the specification, with defaults for the omitted ones', async () => {
      const sent = await sendAsVisitor({ content: 'Hello' });
      expect(sent.status).toBe(201);
      expect(sent.data).toEqual({
        id: sent.data.id,
        conversation_id: id,
        workspace_id: desk.workspaceId,
        seq: 2,
        sender_type: 'contact',
        sender_id: visitor.contactId,
        sender_name: null,
        sender_avatar_url: null,
        content_type: 'text',
        content: 'Hello',
        attachments: [],
        metadata: {},
        client_message_id: null,
        private: false,
        reply_to_id: null,
        created_at: expect.stringMatching(WIRE_TIME),
        edited_at: null,
        deleted_at: null,
      });
      expect((await history()).at(-1)).toEqual(sent.data);
      expect((await visitorPage()).items.at(-1)).toEqual(sent.data);
    });

    it('A message can have any content type but `event`', async () => {
      for (const content_type of ['text', 'image', 'file', 'audio', 'video']) {
        expect((await send({ content: 'x', content_type })).data).toMatchObject({ content_type });
        expect((await sendAsVisitor({ content: 'x', content_type })).data).toMatchObject({ content_type });
      }
    });

    it('A visitor cannot set the sender, `private`, `seq` or `expected_last_seq` of its message', async () => {
      const sent = await sendAsVisitor({
        content: 'Hello',
        private: true,
        expected_last_seq: 0,
        member_id: agent.memberId,
        bot_id: NOWHERE,
        sender_type: 'agent',
        seq: 99,
      });
      expect(sent.status).toBe(201);
      expect(sent.data).toMatchObject({ private: false, sender_type: 'contact', sender_id: visitor.contactId, seq: 2 });
      const other = await world.visitor(desk);
      const message = { content: 'Hi', private: true, member_id: agent.memberId };
      const started = await other.api.post<Started>('/v1/widget/conversations', { message });
      expect(started.data.message).toMatchObject({
        private: false,
        sender_type: 'contact',
        sender_id: other.contactId,
      });
    });
  });

  describe('Sequence numbers', () => {
    it('Messages have gapless, unique sequence numbers when agent and visitor send 40 at once', async () => {
      const answers = await race(40, index =>
        index % 2
          ? sendAsVisitor({ content: `Visitor ${index}` })
          : send({ content: `Agent ${index}`, private: index % 8 === 0 }),
      );
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 40 });
      const messages = await history();
      expect(messages.map(({ seq }) => seq)).toEqual(oneTo(41));
      const answered = answers.map(({ data }) => data).sort((a, b) => a.seq - b.seq);
      expect(messages.slice(1)).toEqual(answered);
      const times = messages.map(({ created_at }) => created_at);
      expect(times).toEqual([...times].sort());
      const lastAnswer = messages.findLastIndex(({ sender_type, private: note }) => sender_type === 'agent' && !note);
      const unread = messages.slice(lastAnswer).filter(({ sender_type }) => sender_type === 'contact').length;
      expect(await read()).toMatchObject({ last_seq: 41, unread: { agents: unread, contact: 15 } });
      expect((await read()).last_message?.id).toBe(messages.at(-1)?.id);
    });

    it('A refused message uses up no sequence number', async () => {
      await send({ content: '' });
      await send({ content: 'x', reply_to_id: NOWHERE });
      await send({ content: 'x', expected_last_seq: 0 });
      expect((await send({ content: 'Hello' })).data.seq).toBe(2);
    });
  });

  describe('Sending with a client_message_id', () => {
    it('Ten racing sends with one client_message_id make one message: one 201, nine 200 with the same body', async () => {
      for (const attempt of [
        (index: number) => send({ content: `Try ${index}`, client_message_id: 'c-1' }),
        (index: number) => sendAsVisitor({ content: `Try ${index}`, client_message_id: 'c-1' }),
      ]) {
        const before = (await history()).length;
        const answers = await race(10, attempt);
        expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 9, 201: 1 });
        const made = answers.find(({ status }) => status === 201)?.data;
        for (const { data } of answers) expect(data).toEqual(made);
        expect(await history()).toHaveLength(before + 1);
        expect((await read()).last_seq).toBe(before + 1);
      }
    });

    it('A repeated client_message_id returns the first message, whatever the new body and later changes', async () => {
      const first = await send({ content: 'First', client_message_id: 'c-1' });
      await sendAsVisitor({ content: 'Between' });
      await agent.api.post(`${path()}/resolve`);
      const again = await send({
        content: 'Second',
        client_message_id: 'c-1',
        expected_last_seq: 1,
        reply_to_id: NOWHERE,
      });
      expect([again.status, again.data]).toEqual([200, first.data]);
      expect((await read()).status).toBe('resolved');
    });

    it('A client_message_id is unique per sender and conversation only', async () => {
      const colleague = await world.colleague(desk);
      const key = await world.apiKey(desk);
      const body = { content: 'Hi', client_message_id: 'c-1' };
      const ids = [
        (await send(body)).data.id,
        (await sendAsVisitor(body)).data.id,
        (await send(body, colleague.api)).data.id,
        (await send({ ...body, bot_id: await botInControl() }, key)).data.id,
      ];
      const other = await world.visitor(desk);
      ids.push((await agent.api.post<MessageRecord>(`${path(await begin(other))}/messages`, body)).data.id);
      expect(new Set(ids).size).toBe(5);
      const asAgent = await send({ ...body, member_id: agent.memberId }, key);
      expect([asAgent.status, asAgent.data.id]).toEqual([200, ids[0]]);
    });

    it('Ten racing first messages with one client_message_id start one conversation with one message', async () => {
      const other = await world.visitor(desk);
      const message = { content: 'Hello', client_message_id: 'c-1' };
      const answers = await race(10, () => other.api.post<Started>('/v1/widget/conversations', { message }));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 9, 201: 1 });
      expect(new Set(answers.map(({ data }) => data.message.id)).size).toBe(1);
      expect(answers[0]?.data.conversation).toMatchObject({ last_seq: 1, unread: { agents: 1 } });
    });

    it.each(['', 'x'.repeat(101), 7, null, 'a\0b'])(
      'The client_message_id %j is refused (400)',
      async client_message_id => {
        for (const answer of [
          await send({ content: 'x', client_message_id }),
          await sendAsVisitor({ content: 'x', client_message_id }),
        ]) {
          expect([...failure(answer), answer.error.details?.[0]?.field]).toEqual([
            400,
            'validation_failed',
            'client_message_id',
          ]);
        }
      },
    );
  });

  it('Racing first messages of one contact start one conversation: one 201, eleven 200', async () => {
    const other = await world.visitor(desk);
    const answers = await race(12, index =>
      other.api.post<Started>('/v1/widget/conversations', { message: { content: `First ${index}` } }),
    );
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 11, 201: 1 });
    expect(new Set(answers.map(({ data }) => data.conversation.id)).size).toBe(1);
    expect(answers.map(({ data }) => data.message.seq).sort((a, b) => a - b)).toEqual(oneTo(12));
  });

  describe('Private notes', () => {
    it('No answer to a visitor contains a private note', async () => {
      await send({ content: 'Public one' });
      const secret = 'she is a swindler';
      const note = await send({ content: secret, private: true, metadata: { secret } });
      await send({ content: `${secret}!`, private: true, reply_to_id: note.data.id });
      await agent.api.post(`${path()}/take`);

      const seen = await visitor.api.get<VisitorConversationRecord>(visitorPath());
      expect(seen.data).toMatchObject({ last_seq: 2, last_message: { preview: 'Public one' }, unread: { contact: 1 } });
      const answers = [
        seen,
        await visitor.api.get('/v1/widget/conversations'),
        await visitor.api.get<Page>(`${visitorPath()}/messages`),
        await visitor.api.get<Page>(`${visitorPath()}/messages?after_seq=2`),
        await visitor.api.get<Page>(`${visitorPath()}/messages?before_seq=99&limit=1`),
        await visitor.api.post(`${visitorPath()}/read`, { seq: 4 }),
        await visitor.api.post('/v1/widget/conversations', { message: { content: 'Hello' } }),
        await sendAsVisitor({ content: 'Hello' }),
        await sendAsVisitor({ content: 'Hello', reply_to_id: note.data.id }),
      ];
      expect(JSON.stringify(answers.map(({ body }) => body))).not.toMatch(new RegExp(`swindler|${note.data.id}`));
      expect(seqs(await visitorPage())).toEqual([1, 2, 6, 7]);
    });

    it('No frame to a visitor contains a private note, whether it is sent, edited or unsent', async () => {
      const sockets = [await world.visitorSocket(visitor), await world.visitorSocket(visitor, { conv: id })];
      const note = await send({ content: 'she is a swindler', private: true });
      await edit(note.data.id, 'she is a great swindler');
      await unsend(note.data.id);
      await send({ content: 'Done' });
      for (const socket of sockets) {
        await socket.next('message.created');
        const messageFrames = socket.frames.filter(frame => frame.type.startsWith('message.'));
        expect(messageFrames.map(frame => frame.data.message?.content)).toEqual(['Done']);
        expect(messageFrames[0]?.data.conversation).toMatchObject({ last_seq: 3, unread: { contact: 1 } });
        await socket.close();
      }
    });

    it('A private note changes neither `waiting_since` nor the status nor the unread counts of its conversation', async () => {
      const before = await read();
      await send({ content: 'A note', private: true });
      const after = await read();
      expect(after).toEqual({
        ...before,
        last_seq: 2,
        last_message: after.last_message,
        last_activity_at: after.last_activity_at,
        updated_at: after.updated_at,
      });
      expect(after.last_message?.preview).toBe('A note');
    });
  });

  describe('Effects on the conversation', () => {
    it('An agent’s answer clears `waiting_since`, and the first one sets `first_response_at`', async () => {
      const waiting = await read();
      expect(waiting.waiting_since).toBe(waiting.last_message?.created_at);
      await sendAsVisitor({ content: 'Still here' });
      expect((await read()).waiting_since).toBe(waiting.waiting_since);
      const answer = await send({ content: 'Hello' });
      expect(await read()).toMatchObject({ waiting_since: null, first_response_at: answer.data.created_at });
      const next = await sendAsVisitor({ content: 'And?' });
      await send({ content: 'Well' });
      expect(await read()).toMatchObject({ waiting_since: null, first_response_at: answer.data.created_at });
      expect(next.data.seq).toBe(4);
    });

    it('The preview is the first 140 characters of the newest message, and splits no surrogate pair', async () => {
      await send({ content: 'x'.repeat(200) });
      expect((await read()).last_message?.preview).toBe('x'.repeat(140));
      await send({ content: `${'x'.repeat(139)}😀` });
      expect((await read()).last_message?.preview).toBe('x'.repeat(139));
    });

    it('An agent’s message reopens a resolved conversation; a private note does not', async () => {
      await agent.api.post(`${path()}/resolve`);
      expect((await send({ content: 'A note', private: true })).status).toBe(201);
      expect(await read()).toMatchObject({ status: 'resolved', reopened_count: 0 });
      expect((await send({ content: 'One more thing' })).status).toBe(201);
      expect(await read()).toMatchObject({ status: 'open', reopened_count: 1, resolved_at: null, resolved_by: null });
    });

    it('A key’s message for a member reopens a resolved conversation; one for a bot is refused (403)', async () => {
      const key = await world.apiKey(desk);
      const botId = await botInControl();
      await agent.api.post(`${path()}/resolve`);
      expect(failure(await send({ content: 'Hello', bot_id: botId }, key))).toEqual([403, 'bot_not_in_control']);
      expect((await read()).status).toBe('resolved');
      await send({ content: 'Hello', member_id: agent.memberId }, key);
      expect((await read()).status).toBe('open');
    });

    it('An agent’s message reopens a resolved conversation at any time: `reopen_window_hours` limits visitors only', async () => {
      await agent.api.post(`${path()}/resolve`);
      await later(1000 * 3600);
      const sent = await send({ content: 'We have found it!' });
      expect([sent.status, sent.data.conversation_id]).toEqual([201, id]);
      expect((await read()).status).toBe('open');
    });
  });

  describe('Replies', () => {
    it('A message can reply to a public one of its conversation, and a private note to public messages and notes', async () => {
      const [first] = await history();
      const answer = await send({ content: 'Yes', reply_to_id: first?.id });
      expect([answer.status, answer.data.reply_to_id]).toEqual([201, first?.id]);
      const note = await send({ content: 'Hm', private: true, reply_to_id: answer.data.id });
      expect((await send({ content: 'Hm?', private: true, reply_to_id: note.data.id })).status).toBe(201);
      expect((await sendAsVisitor({ content: 'Thanks', reply_to_id: answer.data.id })).data.reply_to_id).toBe(
        answer.data.id,
      );
    });

    it('A public message cannot reply to a private note (400)', async () => {
      const note = await send({ content: 'A note', private: true });
      const asAgent = await send({ content: 'Quoted', reply_to_id: note.data.id });
      expect(failure(asAgent)).toEqual([400, 'reply_to_note']);
      const asVisitor = await sendAsVisitor({ content: 'Guessed', reply_to_id: note.data.id });
      expect(failure(asVisitor)).toEqual([400, 'reply_to_unknown']);
      expect(await history()).toHaveLength(2);
    });

    it('A message cannot reply to one of another conversation or to an unknown one (400)', async () => {
      const other = await world.visitor(desk);
      const elsewhere = await other.api.post<Started>('/v1/widget/conversations', { message: { content: 'Hi' } });
      for (const reply_to_id of [elsewhere.data.message.id, NOWHERE]) {
        expect(failure(await send({ content: 'x', reply_to_id }))).toEqual([400, 'reply_to_unknown']);
        expect(failure(await sendAsVisitor({ content: 'x', reply_to_id }))).toEqual([400, 'reply_to_unknown']);
      }
      expect(failure(await send({ content: 'x', reply_to_id: 'first' }))).toEqual([400, 'validation_failed']);
      expect(failure(await sendAsVisitor({ content: 'x', reply_to_id: null }))).toEqual([400, 'validation_failed']);
    });
  });

  describe('Sending with an expected_last_seq', () => {
    it('A message with an outdated expected_last_seq is refused (409) with the current last_seq', async () => {
      await sendAsVisitor({ content: 'Wait!' });
      const stale = await send({ content: 'Goodbye', expected_last_seq: 1 });
      expect([...failure(stale), stale.error.last_seq]).toEqual([409, 'conversation_moved', 2]);
      expect((await send({ content: 'Waiting', expected_last_seq: 2 })).status).toBe(201);
      expect((await send({ content: 'Ahead', expected_last_seq: 99 })).status).toBe(201);
    });

    it('Of racing messages with one expected_last_seq exactly one is sent', async () => {
      const answers = await race(8, () => send({ content: 'Hello', expected_last_seq: 1 }));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 7 });
      expect(await history()).toHaveLength(2);
    });

    it.each([-1, 1.5, '1', null])('The expected_last_seq %j is refused (400)', async expected_last_seq => {
      expect(failure(await send({ content: 'x', expected_last_seq }))).toEqual([400, 'validation_failed']);
    });
  });

  describe('Message limits', () => {
    it('A message has at most 20,000 characters, however many bytes they take', async () => {
      for (const content of ['x'.repeat(20_000), 'ü'.repeat(20_000), '😀'.repeat(20_000)]) {
        const sent = await send({ content });
        expect([sent.status, sent.data.content]).toEqual([201, content]);
        expect((await sendAsVisitor({ content })).data.content).toBe(content);
      }
      for (const content of ['x'.repeat(20_001), '😀'.repeat(20_001)]) {
        for (const answer of [await send({ content }), await sendAsVisitor({ content })]) {
          expect(failure(answer)).toEqual([400, 'validation_failed']);
          expect(answer.error.details).toMatchObject([{ field: 'content', code: 'too_long' }]);
        }
      }
    });

    it.each([{}, { content: '' }, { content: ' \t\n' }])(
      'A message without content is refused (400): %j',
      async body => {
        for (const answer of [await send(body), await sendAsVisitor(body), await send({ ...body, private: true })]) {
          expect(failure(answer)).toEqual([400, 'content_required']);
        }
      },
    );

    it.each([null, 7, ['x'], { text: 'x' }, 'a\0b', '\ud83d'])(
      'A message with invalid content is refused (400): %j',
      async content => {
        for (const answer of [await send({ content }), await sendAsVisitor({ content })]) {
          expect(failure(answer)).toEqual([400, 'validation_failed']);
          expect(answer.error.details?.map(({ field }) => field)).toEqual(['content']);
        }
      },
    );

    it('A message keeps every other character unchanged', async () => {
      const content = ' <b>"\'\\ \u202e\u0007\r\n\ufeff$1 %s {{x}} 👩‍👩‍👧 ';
      expect((await send({ content })).data.content).toBe(content);
      expect((await history()).at(-1)?.content).toBe(content);
    });

    it('Message metadata is limited to 16 KiB and 50 keys', async () => {
      const keys = (count: number) => Object.fromEntries(oneTo(count).map(number => [`key ${number}`, number]));
      const bytes = (count: number) => ({ text: 'x'.repeat(count - '{"text":""}'.length) });
      for (const metadata of [keys(50), bytes(16 * 1024), {}]) {
        expect((await send({ content: 'x', metadata })).data.metadata).toEqual(metadata);
        expect((await sendAsVisitor({ content: 'x', metadata })).data.metadata).toEqual(metadata);
      }
      for (const metadata of [keys(51), bytes(16 * 1024 + 1), [], 'x', null, { bad: 'a\0b' }]) {
        for (const answer of [
          await send({ content: 'x', metadata }),
          await sendAsVisitor({ content: 'x', metadata }),
        ]) {
          expect(failure(answer)).toEqual([400, 'validation_failed']);
          expect(answer.error.details?.map(({ field }) => field)).toEqual(['metadata']);
        }
      }
    });

    it('A message of content type `event` or of an unknown type is refused (400)', async () => {
      const key = await world.apiKey(desk);
      for (const answer of [
        await send({ content: 'x', content_type: 'event' }),
        await sendAsVisitor({ content: 'x', content_type: 'event' }),
        await send({ content: 'x', content_type: 'event', bot_id: await bot() }, key),
        await visitor.api.post('/v1/widget/conversations', { message: { content: 'x', content_type: 'event' } }),
      ]) {
        expect(failure(answer)).toEqual([400, 'content_type_reserved']);
      }
      for (const content_type of ['html', 'Text', null, 1]) {
        expect(failure(await send({ content: 'x', content_type }))).toEqual([400, 'validation_failed']);
      }
    });

    it('A message with an unknown file is refused (400 attachment_unavailable), and nothing is sent.', async () => {
      const attachment_ids = [NOWHERE];
      for (const answer of [
        await send({ content: 'x', attachment_ids }),
        await sendAsVisitor({ attachment_ids }),
        await visitor.api.post('/v1/widget/conversations', { message: { content: 'x', attachment_ids } }),
      ]) {
        expect(failure(answer)).toEqual([400, 'attachment_unavailable']);
      }
      expect(await history()).toHaveLength(1);
    });

    it('A message has at most ten files, each once, and without any it needs content.', async () => {
      const many = Array.from({ length: 11 }, () => newId());
      for (const attachment_ids of ['x', many, [NOWHERE, NOWHERE]]) {
        expect(failure(await send({ attachment_ids }))).toEqual([400, 'validation_failed']);
      }
      expect(failure(await send({ attachment_ids: [] }))).toEqual([400, 'content_required']);
      expect((await send({ content: 'x', attachment_ids: [] })).status).toBe(201);
    });

    it('A message body over 256 KiB is refused (413)', async () => {
      const answer = await send({ content: 'x', padding: 'x'.repeat(256 * 1024) });
      expect(failure(answer)).toEqual([413, 'body_too_large']);
    });
  });

  describe('Messages of an API key', () => {
    let key: Caller;
    beforeEach(async () => {
      key = await world.apiKey(desk);
    });

    it('A key can send a message as a member or as a bot', async () => {
      const colleague = await world.colleague(desk);
      const byMember = await send({ content: 'Hi', member_id: colleague.memberId }, key);
      expect(byMember.data).toMatchObject({
        sender_type: 'agent',
        sender_id: colleague.memberId,
        sender_name: 'Adam Agent',
      });
      const botId = await botInControl();
      const byBot = await send({ content: 'Beep', bot_id: botId }, key);
      expect(byBot.data).toMatchObject({ sender_type: 'bot', sender_id: botId, sender_name: 'Botty' });
      expect((await visitorPage()).items.slice(-2)).toEqual([byMember.data, byBot.data]);
    });

    it('A key’s message without a member or bot is refused (400 sender_required)', async () => {
      expect(failure(await send({ content: 'Hi' }, key))).toEqual([400, 'sender_required']);
      expect(failure(await send({ content: 'Hi', private: true }, key))).toEqual([400, 'sender_required']);
    });

    it('A key cannot send as an unknown or deactivated member, a contact or the system bot (400 sender_unknown)', async () => {
      const left = await world.colleague(desk);
      await sql(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [left.memberId]);
      const [system] = await sql<{ id: string }>(`SELECT id FROM bot WHERE workspace_id = $1 AND kind = 'system'`, [
        desk.workspaceId,
      ]);
      const elsewhere = await world.desk();
      for (const sender of [
        { member_id: NOWHERE },
        { member_id: elsewhere.owner.memberId },
        { member_id: left.memberId },
        { member_id: visitor.contactId },
        { bot_id: NOWHERE },
        { bot_id: system?.id },
        { bot_id: agent.memberId },
      ]) {
        expect(failure(await send({ content: 'Hi', ...sender }, key))).toEqual([400, 'sender_unknown']);
      }
      expect(await history()).toHaveLength(1);
      expect(failure(await send({ content: 'Hi', member_id: 'me' }, key))).toEqual([400, 'validation_failed']);
    });

    it('An agent cannot send a message as another member or a bot', async () => {
      const colleague = await world.colleague(desk);
      const sent = await send({ content: 'Hi', member_id: colleague.memberId, bot_id: await bot() });
      expect(sent.data).toMatchObject({ sender_type: 'agent', sender_id: agent.memberId });
    });
  });

  describe('Listing messages', () => {
    beforeEach(async () => {
      for (let index = 2; index <= 9; index += 1) await send({ content: `${index}`, private: index % 3 === 0 });
    });

    it('Messages are listed by ascending seq, starting with the newest page', async () => {
      expect(seqs(await page(''))).toEqual(oneTo(9));
      const newest = await page('limit=4');
      expect(seqs(newest)).toEqual([6, 7, 8, 9]);
      const older = await page(`limit=4&cursor=${newest.next_cursor}`);
      expect(seqs(older)).toEqual([2, 3, 4, 5]);
      const oldest = await page(`limit=4&cursor=${older.next_cursor}`);
      expect(seqs(oldest)).toEqual([1]);
      expect(oldest.next_cursor).toBeNull();
    });

    it('Messages before a seq are paged towards the oldest', async () => {
      const first = await page('before_seq=6&limit=3');
      expect(seqs(first)).toEqual([3, 4, 5]);
      const next = await page(`before_seq=6&limit=3&cursor=${first.next_cursor}`);
      expect([seqs(next), next.next_cursor]).toEqual([[1, 2], null]);
      expect(seqs(await page('before_seq=1'))).toEqual([]);
      expect(seqs(await page('before_seq=1000'))).toEqual(oneTo(9));
    });

    it('Messages after a seq are paged towards the newest', async () => {
      const first = await page('after_seq=4&limit=3');
      expect(seqs(first)).toEqual([5, 6, 7]);
      const next = await page(`after_seq=4&limit=3&cursor=${first.next_cursor}`);
      expect([seqs(next), next.next_cursor]).toEqual([[8, 9], null]);
      expect(seqs(await page('after_seq=0&limit=2'))).toEqual([1, 2]);
      expect(seqs(await page('after_seq=9'))).toEqual([]);
    });

    it('Messages between two seqs can be paged', async () => {
      expect(seqs(await page('after_seq=3&before_seq=7'))).toEqual([4, 5, 6]);
      const first = await page('after_seq=3&before_seq=7&limit=2');
      const next = await page(`after_seq=3&before_seq=7&limit=2&cursor=${first.next_cursor}`);
      expect([...seqs(first), ...seqs(next), next.next_cursor]).toEqual([4, 5, 6, null]);
    });

    it('Pages of messages neither skip nor repeat one while more are sent', async () => {
      const seen: number[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const older: Page = await page(`limit=2${cursor ? `&cursor=${cursor}` : ''}`);
        seen.unshift(...seqs(older));
        cursor = older.next_cursor;
        await sendAsVisitor({ content: 'More' });
      }
      expect(seen).toEqual(oneTo(9));
    });

    it('A visitor’s pages of messages are full although they omit private notes', async () => {
      expect(seqs(await visitorPage())).toEqual([1, 2, 4, 5, 7, 8]);
      const newest = await visitorPage('limit=4');
      expect(seqs(newest)).toEqual([4, 5, 7, 8]);
      const older = await visitorPage(`limit=4&cursor=${newest.next_cursor}`);
      expect([seqs(older), older.next_cursor]).toEqual([[1, 2], null]);
      expect(seqs(await visitorPage('after_seq=2&limit=2'))).toEqual([4, 5]);
    });

    const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    it.each([
      ['before_seq=0', 'validation_failed'],
      ['before_seq=x', 'validation_failed'],
      ['after_seq=-1', 'validation_failed'],
      ['after_seq=1.5', 'validation_failed'],
      ['limit=0', 'validation_failed'],
      ['limit=201', 'validation_failed'],
      ['cursor=nonsense', 'cursor_invalid'],
      [`cursor=${cursor('messages', 'sideways', 1)}`, 'cursor_invalid'],
      [`cursor=${cursor('messages', 'before', -1)}`, 'cursor_invalid'],
      [`cursor=${cursor('messages', 'before', '1')}`, 'cursor_invalid'],
      [`cursor=${cursor('messages', 'before', 2 ** 31)}`, 'cursor_invalid'],
      [`cursor=${cursor('messages', 'after', Number.MAX_SAFE_INTEGER)}`, 'cursor_invalid'],
      [`cursor=${cursor('conversations.created', NOWHERE)}`, 'cursor_invalid'],
    ])('A list of messages with %s is refused (400)', async (query, code) => {
      expect(failure(await agent.api.get(`${path()}/messages?${query}`))).toEqual([400, code]);
      expect(failure(await visitor.api.get(`${visitorPath()}/messages?${query}`))).toEqual([400, code]);
    });

    it('Messages can be listed before or after a seq that no conversation reaches', async () => {
      expect(seqs(await page(`before_seq=999999999999999&limit=2`))).toEqual([8, 9]);
      expect(seqs(await page(`after_seq=999999999999999`))).toEqual([]);
      expect(seqs(await page(`before_seq=${2 ** 31}&limit=1`))).toEqual([9]);
    });
  });

  describe('Editing messages', () => {
    it('An edited message changes for agents and visitors, in the preview too', async () => {
      const socket = await world.visitorSocket(visitor);
      const sent = await send({ content: 'Teh parcel', metadata: { keep: true }, client_message_id: 'c-1' });
      const edited = await edit(sent.data.id, 'The parcel');
      expect(edited.status).toBe(200);
      expect(edited.data).toEqual({
        ...sent.data,
        content: 'The parcel',
        edited_at: expect.stringMatching(WIRE_TIME),
      });
      expect((await socket.next('message.updated')).data).toEqual({ message: edited.data });
      expect((await history()).at(-1)).toEqual(edited.data);
      expect((await visitorPage()).items.at(-1)).toEqual(edited.data);
      expect((await read()).last_message).toMatchObject({ id: sent.data.id, preview: 'The parcel' });
      expect((await read()).last_seq).toBe(2);
      await socket.close();
    });

    it('Editing an older message leaves the preview of a newer one as it is', async () => {
      const sent = await send({ content: 'One' });
      await send({ content: 'Two' });
      await edit(sent.data.id, 'Uno');
      expect((await read()).last_message?.preview).toBe('Two');
    });

    it('Only its sender can edit or unsend a message (403 not_sender)', async () => {
      const colleague = await world.colleague(desk, { role: 'admin' });
      const key = await world.apiKey(desk);
      const [theirs] = await history();
      const mine = await send({ content: 'Mine' });
      const byKey = await send({ content: 'By key', member_id: agent.memberId }, key);
      await agent.api.post(`${path()}/take`);
      const entry = (await history()).find(({ content_type }) => content_type === 'event');
      for (const [as, messageId] of [
        [agent.api, theirs?.id],
        [colleague.api, mine.data.id],
        [key, mine.data.id],
        [key, byKey.data.id],
        [agent.api, entry?.id],
        [key, entry?.id],
      ] as [Caller, string][]) {
        expect(failure(await edit(messageId, 'Changed', as))).toEqual([403, 'not_sender']);
        expect(failure(await unsend(messageId, as))).toEqual([403, 'not_sender']);
      }
      expect((await edit(byKey.data.id, 'By the member it was')).status).toBe(200);
    });

    it('A key can edit and unsend a bot’s message', async () => {
      const key = await world.apiKey(desk);
      const sent = await send({ content: 'Bepp', bot_id: await botInControl() }, key);
      expect((await edit(sent.data.id, 'Beep', key)).data.content).toBe('Beep');
      expect((await unsend(sent.data.id, key)).status).toBe(200);
    });

    it('A message can be edited and unsent for 15 minutes, and not afterwards (422 edit_window_over)', async () => {
      const sent = await send({ content: 'Hello' });
      await later(15 * MINUTE - 5);
      expect((await edit(sent.data.id, 'Just in time')).status).toBe(200);
      await later(6);
      expect(failure(await edit(sent.data.id, 'Too late'))).toEqual([422, 'edit_window_over']);
      expect(failure(await unsend(sent.data.id))).toEqual([422, 'edit_window_over']);
      expect((await history()).at(-1)?.content).toBe('Just in time');
    });

    it('An edited message needs valid content (400 otherwise)', async () => {
      const sent = await send({ content: 'Hello' });
      for (const content of [undefined, null, '', 'x'.repeat(20_001), 'a\0b', 7]) {
        expect(failure(await edit(sent.data.id, content))).toEqual([400, 'validation_failed']);
      }
      expect(failure(await edit(sent.data.id, ' \n'))).toEqual([400, 'content_required']);
      expect((await history()).at(-1)).toEqual(sent.data);
    });

    it('Editing or unsending a message under another conversation, or an unknown one, is 404', async () => {
      const sent = await send({ content: 'Hello' });
      const other = await begin(await world.visitor(desk));
      for (const address of [
        `${path(other)}/messages/${sent.data.id}`,
        `${path()}/messages/${NOWHERE}`,
        `${path()}/messages/x`,
      ]) {
        expect(failure(await agent.api.patch(address, { content: 'x' }))).toEqual([404, 'not_found']);
        expect(failure(await agent.api.delete(address))).toEqual([404, 'not_found']);
      }
    });
  });

  describe('Unsending messages', () => {
    const storedWords = async () => {
      const [row] = await sql<{ found: number }>(
        `SELECT count(*)::int AS found FROM (
           SELECT payload::text AS text FROM event UNION ALL SELECT message::text FROM message
           UNION ALL SELECT conversation::text FROM conversation) everything
         WHERE text LIKE '%embarrassing%' OR text LIKE '%awkward%'`,
      );
      return row?.found;
    };

    it('An unsent message keeps its seq, and its content is erased from history, previews and the event log', async () => {
      const socket = await world.visitorSocket(visitor);
      const sent = await send({
        content: 'embarrassing',
        metadata: { why: 'embarrassing', where: 'embarrassing' },
        client_message_id: 'c-1',
      });
      await edit(sent.data.id, 'awkward');
      expect(await storedWords()).toBeGreaterThan(0);
      const deleted = await unsend(sent.data.id);
      expect([deleted.status, deleted.data]).toEqual([200, { id: sent.data.id, deleted: true }]);

      const left = (await history()).at(-1);
      expect(left).toEqual({
        ...sent.data,
        content: null,
        metadata: {},
        edited_at: left?.edited_at,
        deleted_at: expect.stringMatching(WIRE_TIME),
      });
      expect((await visitorPage()).items.at(-1)).toEqual(left);
      expect((await socket.next('message.deleted')).data).toEqual({ message: left });
      expect((await read()).last_message).toMatchObject({ id: sent.data.id, preview: '' });
      expect((await visitor.api.get<VisitorConversationRecord>(visitorPath())).data.last_message?.preview).toBe('');
      expect(await storedWords()).toBe(0);
      expect((await send({ content: 'Next' })).data.seq).toBe(3);
      await socket.close();
    });

    it('An unsent message no longer counts as unread', async () => {
      const sent = await send({ content: 'Oops' });
      await send({ content: 'Hello' });
      expect((await read()).unread).toEqual({ agents: 0, contact: 2 });
      await unsend(sent.data.id);
      expect((await read()).unread).toEqual({ agents: 0, contact: 1 });
      await visitor.api.post(`${visitorPath()}/read`, { seq: 3 });
      expect((await read()).unread).toEqual({ agents: 0, contact: 0 });
    });

    it('An unsent message can neither be unsent again nor edited (404)', async () => {
      const sent = await send({ content: 'Oops' });
      const answers = await race(4, () => unsend(sent.data.id));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 1, 404: 3 });
      expect(failure(await edit(sent.data.id, 'Back'))).toEqual([404, 'not_found']);
    });

    it('Repeating the send of an unsent message does not bring its content back', async () => {
      const body = { content: 'Oops', client_message_id: 'c-1' };
      const sent = await send(body);
      await unsend(sent.data.id);
      const again = await send(body);
      expect([again.status, again.data]).toMatchObject([200, { id: sent.data.id, content: null }]);
    });
  });

  describe('Timeline entries', () => {
    it('A timeline entry is signed by the system bot, and names no member to the visitor', async () => {
      await agent.api.post(`${path()}/take`);
      await agent.api.post(`${path()}/resolve`);
      world.app.clock.advance(31); // later than a resolve can be taken back
      await agent.api.post(`${path()}/reopen`);
      world.app.clock.reset();
      await agent.api.post(`${path()}/assign`, { member_id: null });
      const [system] = await sql<{ id: string }>(`SELECT id FROM bot WHERE workspace_id = $1 AND kind = 'system'`, [
        desk.workspaceId,
      ]);
      const actor = { type: 'member', id: agent.memberId };
      const entries = (await history()).slice(1);
      for (const entry of entries) {
        expect(entry).toMatchObject({
          sender_type: 'bot',
          sender_id: system?.id,
          sender_name: null,
          sender_avatar_url: null,
          content_type: 'event',
          content: null,
          attachments: [],
        });
      }
      expect(entries.map(({ seq, metadata, private: note }) => [seq, note, metadata])).toEqual([
        [2, true, { event: 'assigned', actor, assignee_id: agent.memberId, reason: 'taken' }],
        [3, false, { event: 'resolved' }],
        [4, false, { event: 'reopened' }],
        [5, true, { event: 'unassigned', actor, assignee_id: null }],
      ]);
      expect((await visitorPage()).items.map(({ seq }) => seq)).toEqual([1, 3, 4]);
      expect(JSON.stringify((await visitorPage()).items)).not.toContain(agent.memberId);
    });

    it('A timeline entry changes neither the unread counts nor the preview', async () => {
      await agent.api.post(`${path()}/resolve`);
      expect(await read()).toMatchObject({ last_seq: 2, unread: { contact: 0 }, last_message: { preview: 'Hello?' } });
    });

    it('Each workspace has its own system bot', async () => {
      const signers = await sql<{ id: string }>(`SELECT id FROM bot WHERE kind = 'system' AND workspace_id = $1`, [
        desk.workspaceId,
      ]);
      expect(signers).toHaveLength(1);
    });
  });

  describe('Messages with an Idempotency-Key', () => {
    const header = () => ({ 'Idempotency-Key': unique('key') });

    it('A repeated Idempotency-Key returns the first answer, marked as replayed', async () => {
      const key = header();
      const first = await send({ content: 'Hello' }, agent.api, key);
      expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
      const again = await send({ content: 'Hello' }, agent.api, key);
      expect([again.status, again.data]).toEqual([201, first.data]);
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(again.body.request_id).not.toBe(first.body.request_id);
      expect(await history()).toHaveLength(2);
    });

    it('A repeated Idempotency-Key with another body is refused (422)', async () => {
      const key = header();
      await sendAsVisitor({ content: 'Hello' }, key);
      expect(failure(await sendAsVisitor({ content: 'Hello!' }, key))).toEqual([422, 'idempotency_key_reused']);
      expect(await history()).toHaveLength(2);
    });

    it('Racing requests with one Idempotency-Key send one message; the others get 409 or the same answer', async () => {
      const key = header();
      const answers = await race(10, () => sendAsVisitor({ content: 'Hello' }, key));
      const done = answers.filter(({ status }) => status === 201);
      expect(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
      expect(new Set(done.map(({ data }) => data.id)).size).toBe(1);
      for (const refused of answers.filter(({ status }) => status !== 201)) {
        expect(failure(refused)).toEqual([409, 'idempotency_in_progress']);
      }
      expect(await history()).toHaveLength(2);
      expect((await sendAsVisitor({ content: 'Hello' }, key)).data).toEqual(done[0]?.data);
    });

    it('A refused message stays refused under its Idempotency-Key, and changes nothing', async () => {
      const key = header();
      const body = { content: 'Hello', expected_last_seq: 1 };
      await sendAsVisitor({ content: 'Wait' });
      const first = await send(body, agent.api, key);
      expect(failure(first)).toEqual([409, 'conversation_moved']);
      await sql('UPDATE conversation SET last_seq = 1 WHERE id = $1', [id]);
      const again = await send(body, agent.api, key);
      expect([...failure(again), again.error.last_seq]).toEqual([409, 'conversation_moved', 2]);
      expect(again.headers['idempotency-replayed']).toBe('true');
      await sql('UPDATE conversation SET last_seq = 2 WHERE id = $1', [id]);
      expect(await history()).toHaveLength(2);
    });

    it('A message refused after a partial change rolls that change back', async () => {
      await agent.api.post(`${path()}/resolve`);
      const startedByAgent = { contact_id: visitor.contactId, channel_id: desk.channelId };
      const present = (await agent.api.post<{ id: string }>('/v1/conversations', startedByAgent)).data.id;
      const before = await sql<{ count: number }>('SELECT count(*)::int AS count FROM event');
      const key = header();
      for (const replayed of [undefined, 'true']) {
        const answer = await send({ content: 'Hello' }, agent.api, key);
        expect([...failure(answer), answer.error.conversation_id]).toEqual([409, 'conversation_exists', present]);
        expect(answer.headers['idempotency-replayed']).toBe(replayed);
      }
      expect(await sql('SELECT count(*)::int AS count FROM event')).toEqual(before);
    });

    it('An Idempotency-Key is valid per conversation and per sender', async () => {
      const key = header();
      const other = await begin(await world.visitor(desk));
      const colleague = await world.colleague(desk);
      const ids = [
        (await send({ content: 'Hello' }, agent.api, key)).data.id,
        (await send({ content: 'Hello' }, colleague.api, key)).data.id,
        (await sendAsVisitor({ content: 'Hello' }, key)).data.id,
        (await agent.api.post<MessageRecord>(`${path(other)}/messages`, { content: 'Hello' }, key)).data.id,
      ];
      expect(new Set(ids).size).toBe(4);
    });

    it('A repeated Idempotency-Key starts one conversation, for a visitor and for an agent', async () => {
      const other = await world.visitor(desk);
      const key = header();
      const message = { content: 'Hello' };
      const started = await other.api.post<Started>('/v1/widget/conversations', { message }, key);
      const again = await other.api.post<Started>('/v1/widget/conversations', { message }, key);
      expect([again.status, again.data]).toEqual([201, started.data]);
      const third = await world.visitor(desk);
      const body = { contact_id: third.contactId, channel_id: desk.channelId, message };
      const answers = await race(6, () => agent.api.post<ConversationRecord>('/v1/conversations', body, key));
      const made = answers.filter(({ status }) => status === 201);
      expect(made.length).toBeGreaterThan(0);
      expect(new Set(made.map(({ data }) => data.id)).size).toBe(1);
      expect((await agent.api.post<ConversationRecord>('/v1/conversations', body, key)).data).toEqual(made[0]?.data);
    });

    it('An Idempotency-Key replays the 200 of a message added to the unresolved conversation', async () => {
      const key = header();
      const add = () => visitor.api.post<Started>('/v1/widget/conversations', { message: { content: 'More' } }, key);
      const first = await add();
      const again = await add();
      expect([first.status, again.status, again.data]).toEqual([200, 200, first.data]);
      expect(await history()).toHaveLength(2);
    });

    it('The answers of an Idempotency-Key are stored encrypted, and without the key itself', async () => {
      const key = header();
      await send({ content: 'a most remarkable sentence' }, agent.api, key);
      const rows = await sql('SELECT * FROM kept_answer WHERE workspace_id = $1', [desk.workspaceId]);
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain('remarkable');
      expect(JSON.stringify(rows)).not.toContain(key['Idempotency-Key']);
    });
  });
});
