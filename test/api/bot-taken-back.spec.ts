import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { sendJson } from '../support/bot-server.js';
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
import type { Json } from '../support/json.js';
import type { TestSocket } from '../support/socket.js';

const SOON_MS = 20_000;

interface Turn {
  id: string;
  state: string;
}

let responses: ServerResponse[];
beforeEach(() => {
  responses = [];
  server.reply((_delivery, response) => void responses.push(response));
});

const turnsOf = (id: string): Promise<Turn[]> =>
  world.app.database.query<Turn>(
    `SELECT id, state FROM bot_turn WHERE conversation_id = $1 AND kind = 'message' ORDER BY seq`,
    [id],
  );
const untilStates = (id: string, ...states: string[]) =>
  eventually(
    async () => {
      const turns = await turnsOf(id);
      return turns.map(({ state }) => state).join() === states.join() ? turns : undefined;
    },
    SOON_MS,
    () => turnsOf(id),
  );
const untilStatus = (id: string, status: string) =>
  eventually(async () => {
    const conversation = await readConversation(id);
    return conversation.status === status ? conversation : undefined;
  }, SOON_MS);
const act = async (id: string, action: 'resolve' | 'reopen'): Promise<Json> => {
  const answer = await desk.owner.api.post(`/v1/conversations/${id}/${action}`);
  expect(answer.status).toBe(200);
  return answer.data as Json;
};
const write = (id: string, content: string) => visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content });
const echo = () =>
  server.reply((delivery, response) =>
    sendJson(response, { messages: [{ content: `Answer to ${delivery.message.content}` }] }),
  );
const contentsOf = (messages: readonly Json[]) => messages.map(({ content }) => content as string);

/** Starts a conversation whose first message the bot is thinking about. */
async function startUnanswered(content = '1'): Promise<string> {
  const { id } = await startConversation(content);
  await server.next('message.created', id as string);
  return id as string;
}

describe('A resolve of a conversation of a bot that is taken back', () => {
  it('A question that the bot was answering is delivered to it again under the same id, and answered once.', async () => {
    const id = await startUnanswered();
    await act(id, 'resolve');
    await server.next('conversation.ended', id);
    echo();
    expect(await act(id, 'reopen')).toMatchObject({ status: 'pending', control: 'bot', reopened_count: 0 });
    const [turn] = await untilStates(id, 'answered');
    const sent = await messagesByBot(id);
    expect(sent.map(({ content, client_message_id }) => [content, client_message_id])).toEqual([
      ['Answer to 1', `${turn?.id}:1`],
    ]);
    expect(server.of('message.created').map(delivery => delivery.id)).toEqual([turn?.id, turn?.id]);
    expect(await readConversation(id)).toMatchObject({ status: 'pending', control: 'bot', waiting_since: null });
  });

  it('A resolve that is taken back at once, again and again, leaves one answer to each question, in order.', async () => {
    const id = await startUnanswered();
    await write(id, '2');
    await write(id, '3');
    for (let times = 0; times < 5; times += 1) {
      if (times === 4) echo();
      await act(id, 'resolve');
      await act(id, 'reopen');
    }
    await untilStates(id, 'answered', 'answered', 'answered');
    expect(contentsOf(await messagesByBot(id))).toEqual(['Answer to 1', 'Answer to 2', 'Answer to 3']);
  });

  it('A streamed message that was stored before the resolve is stored once.', async () => {
    const id = await startUnanswered();
    responses[0]?.writeHead(200, { 'content-type': 'text/event-stream' });
    responses[0]?.write('event: message\ndata: {"content":"First part."}\n\n');
    await eventually(async () => (await messagesByBot(id)).length === 1 || undefined);
    await act(id, 'resolve');
    server.reply((_delivery, response) =>
      sendJson(response, { messages: [{ content: 'First part.' }, { content: 'Second part.' }] }),
    );
    await act(id, 'reopen');
    await untilStates(id, 'answered');
    expect(contentsOf(await messagesByBot(id))).toEqual(['First part.', 'Second part.']);
  });

  it('A bot that stays silent after it loses the conversation after its time-out.', async () => {
    server.reply((_delivery, response) => void response.writeHead(202).end());
    const id = await startUnanswered();
    await untilStates(id, 'awaiting');
    await act(id, 'resolve');
    await act(id, 'reopen');
    await server.next('message.created', id, 1);
    await untilStates(id, 'awaiting');
    world.app.clock.advance(121);
    expect(await untilStatus(id, 'open')).toMatchObject({ control: 'human', handoff: { reason: 'bot_unresponsive' } });
  });

  it('A question that was answered before the resolve is not delivered again.', async () => {
    echo();
    const id = await startUnanswered();
    await untilStates(id, 'answered');
    await act(id, 'resolve');
    expect(await act(id, 'reopen')).toMatchObject({ status: 'pending', control: 'bot' });
    await write(id, '2');
    await untilStates(id, 'answered', 'answered');
    expect(contentsOf(server.of('message.created').map(({ body }) => body.message as Json))).toEqual(['1', '2']);
    expect(contentsOf(await messagesByBot(id))).toEqual(['Answer to 1', 'Answer to 2']);
  });

  it('A contact who writes to the resolved conversation gets an answer to the new message alone.', async () => {
    const id = await startUnanswered();
    await act(id, 'resolve');
    echo();
    await write(id, '2');
    await untilStates(id, 'cancelled', 'answered');
    expect(contentsOf(await messagesByBot(id))).toEqual(['Answer to 2']);
  });
});

describe('A resolve that is taken back after the bot has stopped serving the channel', () => {
  const sockets: TestSocket[] = [];
  afterEach(() => Promise.all(sockets.splice(0).map(socket => socket.close())));

  it.each<[string, string, () => Promise<unknown>]>([
    ['was disabled', 'bot_disabled', () => bot.key.patch(`/v1/bots/${bot.id}`, { status: 'disabled' })],
    ['was deleted', 'bot_deleted', () => bot.key.delete(`/v1/bots/${bot.id}`)],
    [
      'lost the channel',
      'bot_detached',
      () => bot.key.patch(`/v1/channels/${desk.channelId}`, { routing: { bot_id: null } }),
    ],
  ])('A conversation whose bot %s meanwhile goes to people, and gets an assignee.', async (_name, reason, leave) => {
    await bot.key.patch(`/v1/channels/${desk.channelId}`, { routing: { mode: 'least_loaded' } });
    const id = await startUnanswered();
    await act(id, 'resolve');
    await leave();
    sockets.push(await world.agentSocket(desk.owner));
    expect(await act(id, 'reopen')).toMatchObject({
      status: 'open',
      control: 'human',
      waiting_since: expect.any(String),
      reopened_count: 0,
      handoff: { reason, summary: null },
    });
    await eventually(async () => (await readConversation(id)).assignee_id === desk.owner.memberId || undefined);
    expect(await turnsOf(id)).toMatchObject([{ state: 'cancelled' }]);
    const events = (await readMessages(id)).map(({ metadata }) => (metadata as Json).event as string | undefined);
    expect(events.filter(event => event === 'handed_over')).toHaveLength(1);
    expect(events).not.toContain('reopened');
    expect(server.of('message.created')).toHaveLength(1);
  });
});
