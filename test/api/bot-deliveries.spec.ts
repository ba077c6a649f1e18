import { describe, expect, it } from '@jest/globals';
import { BotTurnRetentionJob } from '../../src/modules/bot-dialogue/bot-turn-retention.job.js';
import { sendJson, StreamedReply } from '../support/bot-server.js';
import {
  bot,
  desk,
  messagesByBot,
  readConversation,
  server,
  startConversation,
  visitor,
  world,
} from '../support/desk-with-bot.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import type { Received } from '../support/webhook-receiver.js';

const SOON_MS = 20_000;
const DAY = 24 * 3_600;

interface Turn {
  kind: string;
  state: string;
  attempts: number;
}

const start = async (content?: string): Promise<string> => (await startConversation(content)).id as string;
const write = (id: string, content: string) => visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content });
const asBot = (id: string, action: string, body: object = {}) =>
  bot.key.post(`/v1/conversations/${id}/${action}`, { bot_id: bot.id, ...body });
const turnsOf = (id: string, kind: 'message' | 'ended'): Promise<Turn[]> =>
  world.app.database.query<Turn>(
    'SELECT kind, state, attempts FROM bot_turn WHERE conversation_id = $1 AND kind = $2 ORDER BY created_at',
    [id, kind],
  );
const untilStates = (id: string, kind: 'message' | 'ended', ...states: string[]) =>
  eventually(
    async () => ((await turnsOf(id, kind)).map(({ state }) => state).join() === states.join() ? true : undefined),
    SOON_MS,
    () => turnsOf(id, kind),
  );
const untilStatus = (id: string, status: string): Promise<Json> =>
  eventually(
    async () => {
      const conversation = await readConversation(id);
      return conversation.status === status ? conversation : undefined;
    },
    SOON_MS,
    () => readConversation(id),
  );
const delivered = (id: string): Promise<Received> => server.next('message.created', id, 0, SOON_MS);
const ended = (id: string): Promise<Received> => server.next('conversation.ended', id, 0, SOON_MS);
const acceptAll = () => server.reply((_delivery, response) => void response.writeHead(202).end());

/** Waits until nothing is due, and shows that the bot was not told of an end. */
async function expectNoEnd(id: string): Promise<void> {
  expect(await turnsOf(id, 'ended')).toEqual([]);
  expect(server.of('conversation.ended')).toEqual([]);
}

describe('The history in a delivery', () => {
  it.each([
    [0, []],
    [2, ['2', 'Answer to 2']],
    [10, ['1', 'Answer to 1', '2', 'Answer to 2']],
  ])('A bot with history_count %i receives so many earlier messages, the oldest first.', async (count, expected) => {
    await bot.key.patch(`/v1/bots/${bot.id}`, { history_count: count });
    server.reply((delivery, response) =>
      sendJson(response, { messages: [{ content: `Answer to ${delivery.message.content}` }] }),
    );
    const id = await start('1');
    await untilStates(id, 'message', 'answered');
    await write(id, '2');
    await untilStates(id, 'message', 'answered', 'answered');
    await write(id, '3');
    const { body } = await server.next('message.created', id, 2, SOON_MS);
    expect(body.history.map(({ content }: Json) => content)).toEqual(expected);
  });
});

describe('The notice that a bot has lost a conversation', () => {
  it('A bot is told that an agent has resolved its conversation.', async () => {
    acceptAll();
    const id = await start();
    await delivered(id);
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    const notice = await ended(id);
    expect(notice.body).toMatchObject({ reason: 'resolved', conversation: { id, status: 'resolved' } });
    expect(notice.id).toBe(notice.body.delivery_id);
    expect(notice.id).not.toBe((await delivered(id)).id);
    expect(server.receiver.unsigned).toEqual([]);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['was disabled', 'bot_disabled', () => bot.key.patch(`/v1/bots/${bot.id}`, { status: 'disabled' })],
    [
      'has lost the channel',
      'bot_detached',
      () => bot.key.patch(`/v1/channels/${desk.channelId}`, { routing: { bot_id: null } }),
    ],
  ])('A bot that %s is told that its conversation was handed off.', async (_name, reason, leave) => {
    acceptAll();
    const id = await start();
    await delivered(id);
    await leave();
    expect((await ended(id)).body).toMatchObject({ reason: 'handed_off', conversation: { id, status: 'open' } });
    expect(await readConversation(id)).toMatchObject({ control: 'human', handoff: { reason } });
  });

  it('A deleted bot is told nothing, and its conversation shows why people have it.', async () => {
    acceptAll();
    const id = await start();
    await untilStates(id, 'message', 'awaiting');
    await bot.key.delete(`/v1/bots/${bot.id}`);
    expect(await untilStatus(id, 'open')).toMatchObject({
      control: 'human',
      bot_id: null,
      waiting_since: expect.any(String),
      handoff: { reason: 'bot_deleted', summary: null },
    });
    await expectNoEnd(id);
  });

  it('A notice that fails is not sent again.', async () => {
    acceptAll();
    const id = await start();
    await delivered(id);
    server.receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    await desk.owner.api.post(`/v1/conversations/${id}/take`);
    await ended(id);
    await untilStates(id, 'ended', 'answered');
    world.app.clock.advance(3_600);
    expect((await turnsOf(id, 'ended')).map(({ attempts }) => attempts)).toEqual([1]);
    const other = await world.conversation(await world.visitor(desk));
    await server.next('message.created', other.id as string, 0, SOON_MS);
    expect(server.of('conversation.ended')).toHaveLength(1);
  });

  it('A bot that hands its conversation off through the API is told nothing.', async () => {
    acceptAll();
    const id = await start();
    await untilStates(id, 'message', 'awaiting');
    const done = await asBot(id, 'handoff', { reason: 'needs_refund', summary: 'Wants her money back.' });
    expect([done.status, done.data]).toMatchObject([
      200,
      { status: 'open', control: 'human', handoff: { reason: 'needs_refund', summary: 'Wants her money back.' } },
    ]);
    await expectNoEnd(id);
    expect((await turnsOf(id, 'message')).map(({ state }) => state)).toEqual(['cancelled']);
  });

  it('A bot that resolves its conversation through the API is its resolver, and is told nothing.', async () => {
    acceptAll();
    const id = await start();
    await untilStates(id, 'message', 'awaiting');
    const done = await asBot(id, 'resolve');
    expect([done.status, done.data]).toMatchObject([
      200,
      { status: 'resolved', resolved_by: { type: 'bot', id: bot.id } },
    ]);
    await expectNoEnd(id);
  });

  it.each(['resolve', 'handoff'])(
    'The %s of a bot for a conversation that an agent has taken is refused (403).',
    async action => {
      acceptAll();
      const id = await start();
      await desk.owner.api.post(`/v1/conversations/${id}/take`);
      const refused = await asBot(id, action);
      expect([refused.status, refused.error.code]).toEqual([403, 'bot_not_in_control']);
      expect(await readConversation(id)).toMatchObject({ status: 'open', handoff: null });
    },
  );
});

describe('The limit of 20 messages in a row within an answer', () => {
  const twenty = Array.from({ length: 20 }, (_nothing, index) => `Message ${index + 1}`);
  const contentsOf = async (id: string) =>
    (await messagesByBot(id)).filter(({ content_type }) => content_type === 'text').map(({ content }) => content);

  it('An HTTP answer beyond the limit is stored up to it, and its action is ignored.', async () => {
    server.reply(async (delivery, response) => {
      await asBot((delivery.conversation as Json).id as string, 'messages', { content: 'Message 0' });
      const messages = twenty.map(content => ({ content }));
      sendJson(response, { messages, action: { type: 'resolve' } });
    });
    const id = await start();
    expect(await untilStatus(id, 'open')).toMatchObject({ handoff: { reason: 'bot_message_limit' } });
    expect(await contentsOf(id)).toEqual(['Message 0', ...twenty.slice(0, 19)]);
    expect((await ended(id)).body).toMatchObject({ reason: 'handed_off' });
  });

  it('A streamed answer beyond the limit is stored up to it, and its connection is closed.', async () => {
    let closed = false;
    server.reply((_delivery, response) => {
      response.once('close', () => (closed = true));
      const stream = new StreamedReply(response);
      for (const content of [...twenty, 'Message 21', 'Message 22']) stream.send('message', { content });
    });
    const id = await start();
    expect(await untilStatus(id, 'open')).toMatchObject({ handoff: { reason: 'bot_message_limit' } });
    await eventually(() => closed || undefined);
    expect(await contentsOf(id)).toEqual(twenty);
  });

  it('A message of the contact begins the count anew.', async () => {
    server.answerWith(...twenty);
    const id = await start();
    await untilStates(id, 'message', 'answered');
    await write(id, 'Go on');
    await untilStates(id, 'message', 'answered', 'answered');
    expect(await contentsOf(id)).toEqual([...twenty, ...twenty]);
    expect(await readConversation(id)).toMatchObject({ status: 'pending', control: 'bot' });
  });
});

describe('A conversation that a bot hands off', () => {
  it('A conversation of a channel with least_loaded goes to the member with the fewest open ones.', async () => {
    await bot.key.patch(`/v1/channels/${desk.channelId}`, { routing: { mode: 'least_loaded' } });
    const idle = await world.colleague(desk);
    server.reply((_delivery, response) => sendJson(response, { action: { type: 'handoff', reason: 'needs_refund' } }));
    const socket = await world.agentSocket(desk.owner);
    const busy = await world.conversation(await world.visitor(desk));
    const assigneeOf = async (id: string) => (await readConversation(id)).assignee_id as string | null;
    await eventually(async () => (await assigneeOf(busy.id as string)) === desk.owner.memberId || undefined);
    const other = await world.agentSocket(idle);
    const id = await start();
    await eventually(
      async () => (await assigneeOf(id)) === idle.memberId || undefined,
      SOON_MS,
      () => readConversation(id),
    );
    await socket.close();
    await other.close();
  });
});

describe('The retention of turns', () => {
  it('A turn that has ended is kept for 30 days, one that has not for longer.', async () => {
    server.answerWith('Hello.');
    const id = await start();
    await untilStates(id, 'message', 'answered');
    const waiting = (await world.conversation(await world.visitor(desk))).id as string;
    await untilStates(waiting, 'message', 'answered');
    await world.app.database.query(
      `UPDATE bot_turn SET state = 'awaiting', ended_at = NULL, due_at = 'infinity' WHERE conversation_id = $1`,
      [waiting],
    );
    const job = world.app.app.get(BotTurnRetentionJob, { strict: false });
    world.app.clock.advance(29 * DAY);
    await job.run();
    expect(await turnsOf(id, 'message')).toHaveLength(1);
    world.app.clock.advance(2 * DAY);
    await job.run();
    expect(await turnsOf(id, 'message')).toEqual([]);
    expect(await turnsOf(waiting, 'message')).toHaveLength(1);
  });
});
