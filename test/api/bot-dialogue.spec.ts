import { describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { LiveAttemptsRegistry } from '../../src/modules/bot-dialogue/live-attempts.registry.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import { routeToBot, sendJson, StreamedReply } from '../support/bot-server.js';
import {
  bot,
  desk,
  messagesByBot,
  readConversation,
  readMessages,
  server,
  startConversation,
  visitor,
  world,
} from '../support/desk-with-bot.js';
import { eventually } from '../support/eventually.js';
import { download, upload, uploadAsVisitor } from '../support/files.js';
import type { Json } from '../support/json.js';

const write = (id: string, content: string) => visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content });

/** Waits until the bot has sent this many messages. */
function untilBotSent(id: string, count: number, ms = 5_000): Promise<Json[]> {
  return eventually(
    async () => {
      const sent = await messagesByBot(id);
      return sent.length >= count ? sent : undefined;
    },
    ms,
    () => readMessages(id),
  );
}

function untilStatus(id: string, status: string, ms = 5_000): Promise<Json> {
  return eventually(async () => {
    const conversation = await readConversation(id);
    return conversation.status === status ? conversation : undefined;
  }, ms);
}

/** Answers the next message when the test says so. */
function keepAnswerOpen(): Promise<ServerResponse> {
  return new Promise(resolve => server.reply((_delivery, response) => resolve(response)));
}

describe('A conversation of a channel that is routed to a bot', () => {
  it('A new conversation is pending with the bot in control, and the contact waits for no person.', async () => {
    server.reply((_delivery, response) => void response.writeHead(202).end());
    const { id } = await startConversation();
    expect(await readConversation(id)).toMatchObject({
      status: 'pending',
      control: 'bot',
      bot_id: bot.id,
      waiting_since: null,
    });
  });

  it("A delivery holds the message, the conversation, the contact without a browser's secret id, and the history.", async () => {
    server.answerWith('One moment.');
    const { id } = await startConversation('First');
    await untilBotSent(id, 1);
    await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'Secret note', private: true });
    await write(id, 'Second');
    const { body, id: deliveryId, text } = await server.next('message.created', id, 1);
    expect(body).toMatchObject({
      event: 'message.created',
      delivery_id: deliveryId,
      conversation: { id, status: 'pending', channel_id: desk.channelId },
      message: { content: 'Second', sender_type: 'contact', conversation_id: id },
      contact: { id: visitor.contactId, name: 'Vera', external_id: null },
    });
    expect(body.history.map(({ content }: Json) => content)).toEqual(['First', 'One moment.']);
    expect(text).not.toContain('Secret note');
    expect(server.receiver.unsigned).toEqual([]);
  });

  it('A private note that agents have read leaves no trace in what the bot receives.', async () => {
    server.answerWith('One moment.');
    const { id } = await startConversation('First');
    await untilBotSent(id, 1);
    const note = await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'A note', private: true });
    await desk.owner.api.post(`/v1/conversations/${id}/read`, { seq: note.data.seq });
    expect((await readConversation(id)).agent_last_read_seq).toBe(note.data.seq);
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    const { body } = await server.next('conversation.ended', id);
    const resolved = (await readMessages(id)).findLast(({ private: isPrivate }) => !isPrivate);
    const { last_seq, agent_last_read_seq, last_message, last_activity_at, updated_at } = body.conversation;
    expect([last_seq, last_message.preview]).toEqual([resolved?.seq, 'One moment.']);
    expect(agent_last_read_seq).toBeLessThanOrEqual(last_seq as number);
    expect([last_activity_at < note.data.created_at, updated_at < note.data.created_at]).toEqual([true, true]);
  });

  it('The messages of a JSON answer are stored once each, in order, with ids of the turn.', async () => {
    server.answerWith('Hello Vera.', 'Which order is it?');
    const { id } = await startConversation();
    const sent = await untilBotSent(id, 2);
    const [delivery] = server.of('message.created');
    expect(sent.map(({ content }) => content)).toEqual(['Hello Vera.', 'Which order is it?']);
    expect(sent.map(({ client_message_id }) => client_message_id)).toEqual([`${delivery?.id}:1`, `${delivery?.id}:2`]);
    expect(await readConversation(id)).toMatchObject({ status: 'pending', control: 'bot' });
  });

  it('A handoff of the bot opens the conversation with its reason and summary, and the bot is not told.', async () => {
    server.reply((_delivery, response) =>
      sendJson(response, {
        messages: [{ content: 'I call a colleague.' }],
        action: { type: 'handoff', reason: 'needs_refund', summary: 'Wants her money back.' },
      }),
    );
    const { id } = await startConversation();
    const conversation = await untilStatus(id, 'open');
    expect(conversation).toMatchObject({
      control: 'human',
      handoff: { reason: 'needs_refund', summary: 'Wants her money back.' },
      waiting_since: expect.any(String),
      first_response_at: null,
    });
    expect((await messagesByBot(id)).filter(({ content_type }) => content_type === 'text')).toHaveLength(1);
    expect(server.of('conversation.ended')).toEqual([]);
  });

  it('A bot resolves its conversation.', async () => {
    server.reply((_delivery, response) => sendJson(response, { action: { type: 'resolve' } }));
    const { id } = await startConversation();
    expect(await untilStatus(id, 'resolved')).toMatchObject({ resolved_by: { type: 'bot', id: bot.id } });
  });

  it('Messages that come while the bot thinks are delivered one after the other, in order.', async () => {
    const pending = keepAnswerOpen();
    const { id } = await startConversation('1');
    const first = await pending;
    server.reply((delivery, response) =>
      sendJson(response, { messages: [{ content: `Answer to ${delivery.message.content}` }] }),
    );
    for (const content of ['2', '3', '4', '5']) await write(id, content);
    expect(server.of('message.created')).toHaveLength(1);
    sendJson(first, { messages: [{ content: 'Answer to 1' }] });
    const sent = await untilBotSent(id, 5);
    expect(sent.map(({ content }) => content)).toEqual([1, 2, 3, 4, 5].map(number => `Answer to ${number}`));
  });

  it('An agent who takes the conversation while the bot thinks silences the bot, which is told.', async () => {
    const pending = keepAnswerOpen();
    const { id } = await startConversation();
    const response = await pending;
    const closed = new Promise(resolve => response.once('close', resolve));
    await desk.owner.api.post(`/v1/conversations/${id}/take`);
    await closed;
    const { body } = await server.next('conversation.ended', id);
    expect(body).toMatchObject({ reason: 'taken', conversation: { id, status: 'open' } });
    expect(await messagesByBot(id)).toEqual([]);
    const late = await bot.key.post(`/v1/conversations/${id}/messages`, { content: 'Late', bot_id: bot.id });
    expect([late.status, late.error.code]).toEqual([403, 'bot_not_in_control']);
  });

  it('A visitor who ends the chat ends the turn, and the bot is told.', async () => {
    await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { widget_config: { features: { end_chat: true } } });
    keepAnswerOpen().catch(() => undefined);
    const { id } = await startConversation();
    await server.next('message.created', id);
    await visitor.api.post(`/v1/widget/conversations/${id}/resolve`);
    expect((await server.next('conversation.ended', id)).body).toMatchObject({ reason: 'closed_by_contact' });
  });

  it('A contact who writes to a resolved conversation reaches the bot again.', async () => {
    server.reply((_delivery, response) => sendJson(response, { action: { type: 'resolve' } }));
    const { id } = await startConversation();
    await untilStatus(id, 'resolved');
    server.answerWith('Welcome back.');
    await write(id, 'Me again');
    const sent = await eventually(async () =>
      (await messagesByBot(id)).find(({ content }) => content === 'Welcome back.'),
    );
    expect(sent).toBeDefined();
    expect(await readConversation(id)).toMatchObject({
      status: 'pending',
      control: 'bot',
      reopened_count: 1,
      assignee_id: null,
    });
  });
});

describe('A bot that sends files', () => {
  it('An answer sends a file that any key of the workspace has uploaded, and the visitor opens it.', async () => {
    const file = (await upload(await world.apiKey(desk), 'Paid.', 'invoice.txt')).data;
    server.reply((_delivery, response) => sendJson(response, { messages: [{ attachment_ids: [file.id] }] }));
    const { id } = await startConversation();
    const [sent] = await untilBotSent(id, 1);
    expect(sent?.attachments).toMatchObject([{ id: file.id, name: 'invoice.txt', size: 5 }]);
    const shown = (await visitor.api.get(`/v1/widget/attachments/${file.id as string}`)).data;
    expect(((await download(world, shown.url as string)).body as Buffer).toString()).toBe('Paid.');
  });

  it.each([
    ['a member', () => upload(desk.owner.api)],
    ['the visitor', () => uploadAsVisitor(visitor)],
    ['another workspace', async () => upload(await world.apiKey(await world.desk()))],
  ])('An answer with a file of %s fails the attempt and stores nothing.', async (_owner, uploadTheirs) => {
    const { id: attachment } = (await uploadTheirs()).data;
    server.reply((_delivery, response) => sendJson(response, { messages: [{ attachment_ids: [attachment] }] }));
    const { id } = await startConversation();
    await untilFailed(id, 1);
    expect(await messagesByBot(id)).toEqual([]);
  });
});

describe('A bot that fails', () => {
  it('Three failed attempts, 2 and 8 seconds apart, hand the conversation off.', async () => {
    server.reply((_delivery, response) => void response.writeHead(500).end());
    const { id } = await startConversation();
    await untilFailed(id, 1);
    world.app.clock.advance(3);
    await untilFailed(id, 2);
    world.app.clock.advance(9);
    const { id: third } = await server.next('message.created', id, 2);
    expect(await untilStatus(id, 'open')).toMatchObject({
      control: 'human',
      handoff: { reason: 'bot_unresponsive', summary: null },
    });
    expect(new Set(server.of('message.created').map(delivery => delivery.id))).toEqual(new Set([third]));
    expect((await server.next('conversation.ended', id)).body).toMatchObject({ reason: 'handed_off' });
  });

  it.each([
    ['JSON of another form', { messages: 'Hello' }],
    ['a message without content', { messages: [{ content: ' ' }] }],
    ['a message with reserved metadata', { messages: [{ content: 'x', metadata: { draft_id: 'x' } }] }],
    ['an unknown action', { action: { type: 'explode' } }],
    ['an unknown file', { messages: [{ attachment_ids: ['01890000-0000-7000-8000-000000000000'] }] }],
  ])('An answer with %s fails the attempt and stores nothing.', async (_name, answer) => {
    server.reply((_delivery, response) => sendJson(response, answer));
    const { id } = await startConversation();
    await untilFailed(id, 1);
    server.answerWith('Now it works.');
    world.app.clock.advance(3);
    const sent = await untilBotSent(id, 1);
    expect(sent.map(({ content }) => content)).toEqual(['Now it works.']);
  });

  it('A bot that takes a message and stays silent loses the conversation after its time-out.', async () => {
    server.reply((_delivery, response) => void response.writeHead(202).end());
    const { id } = await startConversation();
    await server.next('message.created', id);
    await eventually(async () => ((await turnsOf(id))[0]?.state === 'awaiting' ? true : undefined));
    world.app.clock.advance(119);
    expect(await readConversation(id)).toMatchObject({ status: 'pending' });
    world.app.clock.advance(2);
    expect(await untilStatus(id, 'open')).toMatchObject({ handoff: { reason: 'bot_unresponsive' } });
  });

  it('Typing through the API begins the time anew, and a message through the API ends the wait.', async () => {
    server.reply((_delivery, response) => void response.writeHead(202).end());
    const { id } = await startConversation();
    await eventually(async () => ((await turnsOf(id))[0]?.state === 'awaiting' ? true : undefined));
    world.app.clock.advance(100);
    const socket = await world.visitorSocket(visitor);
    const typed = await bot.key.post(`/v1/conversations/${id}/typing`, { bot_id: bot.id });
    expect([typed.status, typed.data]).toEqual([200, { conversation_id: id, expires_in_ms: 8000 }]);
    expect((await socket.next('typing')).data).toMatchObject({ sender_type: 'bot', sender_id: bot.id });
    world.app.clock.advance(100);
    const sent = await bot.key.post(`/v1/conversations/${id}/messages`, { content: 'There it is.', bot_id: bot.id });
    expect(sent.status).toBe(201);
    expect((await turnsOf(id)).map(({ state }) => state)).toEqual(['answered']);
    world.app.clock.advance(500);
    expect(await readConversation(id)).toMatchObject({ status: 'pending', control: 'bot' });
    await socket.close();
  });

  it('A disabled bot loses its conversations to people within two seconds.', async () => {
    server.answerWith('Hello.');
    const { id } = await startConversation();
    await untilBotSent(id, 1);
    await desk.owner.api.patch(`/v1/bots/${bot.id}`, { status: 'disabled' });
    expect(await untilStatus(id, 'open')).toMatchObject({ handoff: { reason: 'bot_disabled' }, control: 'human' });
    const other = await world.conversation(await world.visitor(desk), 'Hi');
    expect(await readConversation(other.id)).toMatchObject({ status: 'open', control: 'human', bot_id: null });
  });

  it('A channel that is routed elsewhere takes its conversations from the bot.', async () => {
    server.answerWith('Hello.');
    const { id } = await startConversation();
    await untilBotSent(id, 1);
    await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { routing: { bot_id: null } });
    expect(await untilStatus(id, 'open')).toMatchObject({ handoff: { reason: 'bot_detached' } });
  });

  it.each<[string, object]>([
    ['resolve', { action: { type: 'resolve' } }],
    ['handoff', { action: { type: 'handoff', reason: 'needs_refund' } }],
    ['message', { messages: [{ content: 'Late' }] }],
  ])('A %s that a disabled bot answers before people have its conversation is refused.', async (_name, answer) => {
    const pending = keepAnswerOpen();
    const { id } = await startConversation();
    const response = await pending;
    // the sweep that hands over waits for this transaction
    const earlier = await lockRowByUpdate(world.app.database, 'contact', visitor.contactId, 'name = name');
    await bot.key.patch(`/v1/bots/${bot.id}`, { status: 'disabled' });
    sendJson(response, answer);
    const live = world.app.app.get(LiveAttemptsRegistry, { strict: false });
    await eventually(() => live.ids().length === 0 || undefined);
    expect(await readConversation(id)).toMatchObject({ status: 'pending', handoff: null });
    await earlier.commit();
    expect(await untilStatus(id, 'open', 20_000)).toMatchObject({ handoff: { reason: 'bot_disabled' } });
    expect(await messagesByBot(id)).toEqual([]);
  });

  it('The 21st message in a row is refused and hands the conversation off.', async () => {
    const silent = await routeToBot(world, desk, null);
    const { id } = await startConversation();
    const send = (content: string) =>
      silent.key.post(`/v1/conversations/${id}/messages`, { content, bot_id: silent.id });
    for (let number = 1; number <= 20; number += 1) expect((await send(`Message ${number}`)).status).toBe(201);
    const refused = await send('One too many');
    expect([refused.status, refused.error.code]).toEqual([422, 'bot_message_limit']);
    expect(await readConversation(id)).toMatchObject({ status: 'open', handoff: { reason: 'bot_message_limit' } });
  });
});

describe('A bot that streams', () => {
  async function startStream(): Promise<{ id: string; stream: StreamedReply; response: ServerResponse }> {
    const pending = keepAnswerOpen();
    const { id } = await startConversation();
    const response = await pending;
    return { id, stream: new StreamedReply(response), response };
  }

  it('The visitor sees the draft grow, and the stored message names it.', async () => {
    const socket = await world.visitorSocket(visitor);
    const { id, stream } = await startStream();
    stream.send('delta', { text: 'Your parcel ' });
    const draft = await socket.next('message.draft');
    expect(draft.data).toMatchObject({
      conversation_id: id,
      sender: { type: 'bot', id: bot.id },
      text: 'Your parcel ',
      state: 'streaming',
    });
    stream.send('delta', { text: 'is here.' });
    stream.end();
    const [message] = await untilBotSent(id, 1);
    expect(message).toMatchObject({ content: 'Your parcel is here.', metadata: { draft_id: draft.data.draft_id } });
    const done = await socket.next('message.draft', ({ data }) => data.state === 'done');
    expect(done.data).toMatchObject({ text: 'Your parcel is here.', draft_id: draft.data.draft_id });
    await socket.close();
  });

  it('A draft reaches no inbox, but the room of the conversation and sockets that view it, also late ones.', async () => {
    const inbox = await world.agentSocket(desk.owner);
    const { id, stream } = await startStream();
    stream.send('delta', { text: 'Half' });
    const room = await world.agentSocket(desk.owner, { room: id });
    expect((await room.next('message.draft')).data).toMatchObject({ text: 'Half' });
    const viewer = await world.agentSocket(desk.owner);
    viewer.send({ type: 'viewing', conversation_id: id });
    expect((await viewer.next('message.draft')).data).toMatchObject({ text: 'Half' });
    stream.end();
    await untilBotSent(id, 1);
    await inbox.next('message.created', ({ data }) => data.message.sender_type === 'bot');
    expect(inbox.of('message.draft')).toEqual([]);
    for (const socket of [inbox, room, viewer]) await socket.close();
  });

  it('A stream that breaks before a delta is tried again.', async () => {
    const { id, stream } = await startStream();
    server.answerWith('Second try.');
    stream.cut();
    await eventually(async () => ((await turnsOf(id))[0]?.state === 'queued' ? true : undefined));
    world.app.clock.advance(3);
    expect((await untilBotSent(id, 1))[0]).toMatchObject({ content: 'Second try.' });
  });

  it('A stream that breaks after a delta leaves its text as truncated and hands off.', async () => {
    const socket = await world.visitorSocket(visitor);
    const { id, stream } = await startStream();
    stream.send('delta', { text: 'Your par' });
    await socket.next('message.draft');
    stream.cut();
    expect(await untilStatus(id, 'open')).toMatchObject({ handoff: { reason: 'bot_unresponsive' } });
    expect((await messagesByBot(id))[0]).toMatchObject({ content: 'Your par', metadata: { truncated: true } });
    await socket.close();
  });

  it('An agent who answers while the bot streams cancels the draft, and nothing of it is stored.', async () => {
    const socket = await world.visitorSocket(visitor);
    const { id, stream, response } = await startStream();
    stream.send('delta', { text: 'I think that' });
    await socket.next('message.draft');
    const closed = new Promise(resolve => response.once('close', resolve));
    await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'I take over.' });
    expect((await socket.next('message.draft', ({ data }) => data.state === 'cancelled')).data.text).toBe(
      'I think that',
    );
    await closed;
    expect(await messagesByBot(id)).toEqual([]);
    expect((await server.next('conversation.ended', id)).body.reason).toBe('taken');
    await socket.close();
  });

  it('Messages and an action of a stream are stored as they come.', async () => {
    const { id, stream } = await startStream();
    stream.send('message', { content: 'First part.' });
    expect((await untilBotSent(id, 1))[0]).toMatchObject({ content: 'First part.' });
    stream.send('delta', { text: 'Second part.' });
    stream.send('action', { type: 'handoff', reason: 'asked_for_person' });
    expect(await untilStatus(id, 'open')).toMatchObject({ handoff: { reason: 'asked_for_person' } });
    const contents = (await messagesByBot(id)).filter(({ content_type }) => content_type === 'text');
    expect(contents.map(({ content }) => content)).toEqual(['First part.', 'Second part.']);
    stream.end();
  });
});

describe('Trying a bot', () => {
  const test = async () => (await desk.owner.api.post(`/v1/bots/${bot.id}/test`)).data;

  it('A test delivery is signed and answers what the server says; nothing is stored.', async () => {
    server.answerWith('It works.');
    expect(await test()).toEqual({
      ok: true,
      status: 200,
      latency_ms: expect.any(Number),
      messages: [{ content: 'It works.' }],
    });
    expect(server.of('test')).toHaveLength(1);
    expect(server.receiver.unsigned).toEqual([]);
  });

  it('A closed port and a refused address are the same error.', async () => {
    await server.receiver.stop();
    const unreachable = { ok: false, status: null, latency_ms: null, error: 'endpoint_unreachable' };
    expect(await test()).toEqual(unreachable);
    const [row] = [bot.id];
    await world.app.database.query(`UPDATE bot SET webhook_url = 'http://10.0.0.1/' WHERE id = $1`, [row]);
    expect(await test()).toEqual(unreachable);
  });

  it('The old secret signs too for a day after a rotation.', async () => {
    await bot.key.post(`/v1/bots/${bot.id}/rotate-secret`);
    server.answerWith('It works.');
    await test();
    expect(server.receiver.unsigned).toEqual([]);
    world.app.clock.advance(25 * 3_600);
    await bot.key.post(`/v1/bots/${bot.id}/test`);
    expect(server.receiver.unsigned).toHaveLength(1);
  });
});

/** Waits until so many attempts at the first turn have failed. */
function untilFailed(id: string, count: number): Promise<true> {
  return eventually(async () => {
    const [turn] = await turnsOf(id);
    return turn?.state === 'queued' && turn.attempts === count ? true : undefined;
  });
}

async function turnsOf(id: string): Promise<{ state: string; attempts: number }[]> {
  return world.app.database.query(
    `SELECT state, attempts FROM bot_turn WHERE conversation_id = $1 AND kind = 'message' ORDER BY seq`,
    [id],
  );
}
