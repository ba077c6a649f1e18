import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { LiveAttemptsRegistry } from '../../src/modules/bot-dialogue/live-attempts.registry.js';
import { OutboundLimitsPolicy } from '../../src/platform/outbound/outbound-limits.policy.js';
import { sendJson, StreamedReply } from '../support/bot-server.js';
import {
  bot,
  desk,
  messagesByBot,
  readConversation,
  server,
  startConversation,
  world,
} from '../support/desk-with-bot.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';

const MIB = 1024 * 1024;

beforeEach(() => bot.key.patch(`/v1/bots/${bot.id}`, { timeout_seconds: 600 }));

const start = async (): Promise<string> => (await startConversation()).id as string;
async function turn(id: string): Promise<{ state: string; attempts: number }> {
  const sql = `SELECT state, attempts FROM bot_turn WHERE conversation_id = $1 AND kind = 'message' ORDER BY seq`;
  const [found] = await world.app.database.query<{ state: string; attempts: number }>(sql, [id]);
  if (!found) throw new Error('no turn');
  return found;
}
const untilFailed = (id: string, attempts: number) =>
  eventually(async () => {
    const { state, attempts: made } = await turn(id);
    return (state === 'queued' && made === attempts) || undefined;
  }, 20_000);
const untilOpen = (id: string) =>
  eventually(
    async () => {
      const conversation = await readConversation(id);
      return conversation.status === 'open' ? conversation : undefined;
    },
    20_000,
    () => turn(id),
  );

/** Lets all three attempts fail. */
async function expectHandoffAfterThreeAttempts(id: string): Promise<void> {
  await untilFailed(id, 1);
  world.app.clock.advance(3);
  await untilFailed(id, 2);
  world.app.clock.advance(9);
  expect(await untilOpen(id)).toMatchObject({ control: 'human', handoff: { reason: 'bot_unresponsive' } });
  expect((await turn(id)).attempts).toBe(3);
  expect(await messagesByBot(id)).toEqual([]);
}

const events = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);

describe('The server of a bot', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['that refuses', response => response.writeHead(503).end()],
    ['that is gone', response => response.writeHead(410).end()],
    ['that redirects', response => response.writeHead(302, { location: server.receiver.url }).end()],
    ['that closes in the head', response => response.destroy()],
    [
      'that closes in the middle of its answer',
      response => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"messages":[{"content":"Hel');
        setTimeout(() => response.destroy(), 20);
      },
    ],
    [
      'that sends 10 MB',
      response => sendJson(response, { messages: [{ content: 'Hello' }], filling: 'x'.repeat(10 * MIB) }),
    ],
    [
      'that sends a message of 20,001 characters',
      response => sendJson(response, { messages: [{ content: 'x'.repeat(20_001) }] }),
    ],
    ['that sends 21 messages', response => sendJson(response, { messages: Array(21).fill({ content: 'Hello' }) })],
    ['that streams a delta that is no JSON', response => events(response, 'event: delta\ndata: {"text"\n\n')],
    ['that streams a delta without text', response => events(response, 'event: delta\ndata: {"words":"x"}\n\n')],
    ['that streams a blank message', response => events(response, 'event: message\ndata: {"content":" "}\n\n')],
    ['that streams an unknown action', response => events(response, 'event: action\ndata: {"type":"refund"}\n\n')],
    ['that streams 300 KiB of comments', response => events(response, `: ${'x'.repeat(300 * 1024)}\n\n`)],
  ])('A server %s is tried three times, then people get the conversation.', async (_name, respond) => {
    server.reply((_delivery, response) => respond(response));
    await expectHandoffAfterThreeAttempts(await start());
    expect(server.of('message.created')).toHaveLength(3);
    expect(server.receiver.unsigned).toEqual([]);
  });

  it.each([
    ['an address of the own network', 'http://10.0.0.1/'],
    ['such an address as IPv6', 'http://[::ffff:10.0.0.1]/'],
    ['the link-local address of clouds', 'http://169.254.169.254/'],
    ['a name without an address', 'http://bots.shop.invalid/'],
  ])('A URL that has moved to %s is not called, and people get the conversation.', async (_name, url) => {
    await world.app.database.query('UPDATE bot SET webhook_url = $2 WHERE id = $1', [bot.id, url]);
    await expectHandoffAfterThreeAttempts(await start());
    expect(server.of('message.created')).toEqual([]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['that never answers', () => undefined],
    [
      'that sends a byte now and then',
      response => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 300);
        response.once('close', () => clearInterval(timer));
      },
    ],
    [
      'that streams comments and unknown events',
      response => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const timer = setInterval(() => response.write(': wait\n\nevent: thinking\ndata: {}\n\n'), 300);
        response.once('close', () => clearInterval(timer));
      },
    ],
  ])('A server %s loses the conversation after its time-out, and its connection is closed.', async (_name, respond) => {
    await bot.key.patch(`/v1/bots/${bot.id}`, { timeout_seconds: 5 });
    let closed = 0;
    server.reply((_delivery, response) => {
      response.once('close', () => (closed += 1));
      respond(response);
    });
    const id = await start();
    expect(await untilOpen(id)).toMatchObject({ handoff: { reason: 'bot_unresponsive' } });
    expect((await turn(id)).attempts).toBe(1);
    expect(await messagesByBot(id)).toEqual([]);
    await eventually(() => closed === 1 || undefined);
  });

  it('A stream that is silent for longer than any other answer may be goes on within the time of the bot.', async () => {
    const limits = world.app.app.get(OutboundLimitsPolicy);
    const { gapMs } = limits;
    Object.assign(limits, { gapMs: 200 });
    try {
      server.reply(async (_delivery, response) => {
        const stream = new StreamedReply(response);
        stream.send('delta', { text: 'Let me ' });
        await delay(800);
        stream.send('delta', { text: 'see.' });
        await delay(800);
        stream.end();
      });
      const id = await start();
      await eventually(async () => (await turn(id)).state === 'answered' || undefined);
      expect((await messagesByBot(id)).map(({ content }) => content)).toEqual(['Let me see.']);
    } finally {
      Object.assign(limits, { gapMs });
    }
  });

  it('A stream that falls silent is stored as truncated and handed off after the time of the bot.', async () => {
    await bot.key.patch(`/v1/bots/${bot.id}`, { timeout_seconds: 5 });
    server.reply((_delivery, response) => new StreamedReply(response).send('delta', { text: 'Let me ' }));
    const id = await start();
    expect(await untilOpen(id)).toMatchObject({ handoff: { reason: 'bot_unresponsive' } });
    expect(await messagesByBot(id)).toMatchObject([{ content: 'Let me ', metadata: { truncated: true } }]);
    expect((await turn(id)).attempts).toBe(1);
  });

  it('A draft of more than 20,000 characters is cut there, stored as truncated and handed off.', async () => {
    server.reply((_delivery, response) => {
      const stream = new StreamedReply(response);
      for (let piece = 0; piece < 5; piece += 1) stream.send('delta', { text: 'x'.repeat(4_500) });
    });
    const id = await start();
    expect(await untilOpen(id)).toMatchObject({ handoff: { reason: 'bot_unresponsive' } });
    expect(await messagesByBot(id)).toMatchObject([{ content: 'x'.repeat(18_000), metadata: { truncated: true } }]);
  });

  it('A stream that breaks between messages is tried again, and its messages are stored once.', async () => {
    let streams = 0;
    server.reply((_delivery, response) => {
      const stream = new StreamedReply(response);
      stream.send('message', { content: 'First.' });
      if ((streams += 1) === 1) return void setTimeout(() => stream.cut(), 200);
      stream.send('message', { content: 'Second.' });
      stream.end();
    });
    const id = await start();
    await untilFailed(id, 1);
    world.app.clock.advance(3);
    await eventually(async () => (await turn(id)).state === 'answered' || undefined);
    expect((await messagesByBot(id)).map(({ content }) => content)).toEqual(['First.', 'Second.']);
    expect(await readConversation(id)).toMatchObject({ status: 'pending', control: 'bot' });
  });
});

describe('A bot whose host answers as many requests as may run at once', () => {
  it('The time of a turn begins when its request is sent, not while it waits for others.', async () => {
    const limits = world.app.app.get(OutboundLimitsPolicy);
    const { perHost } = limits;
    Object.assign(limits, { perHost: 1 });
    try {
      const responses: ServerResponse[] = [];
      server.reply((_delivery, response) => void responses.push(response));
      const answer = (index: number) => sendJson(responses[index]!, { messages: [{ content: 'Here I am.' }] });
      const first = await start();
      await eventually(() => responses.length === 1 || undefined);
      await bot.key.patch(`/v1/bots/${bot.id}`, { timeout_seconds: 5 });
      const other = await world.conversation(await world.visitor(desk));
      const second = other.id as string;
      await eventually(async () => (await turn(second)).state === 'open' || undefined);
      await delay(3_500);
      answer(0);
      await eventually(() => responses.length === 2 || undefined);
      await delay(3_500);
      answer(1);
      for (const id of [first, second]) {
        await eventually(async () => (await turn(id)).state === 'answered' || undefined);
        expect(await messagesByBot(id)).toHaveLength(1);
      }
    } finally {
      Object.assign(limits, { perHost });
    }
  });
});

describe('A bot that has as many attempts under way as a workspace may have', () => {
  const live = () => world.app.app.get(LiveAttemptsRegistry, { strict: false });
  const MAX_LIVE_OF_WORKSPACE = 50;

  async function startAwaited(): Promise<string> {
    await bot.key.patch(`/v1/bots/${bot.id}`, { timeout_seconds: 120 });
    server.reply((_delivery, response) => void response.writeHead(202).end());
    const id = await start();
    await eventually(async () => (await turn(id)).state === 'awaiting' || undefined);
    await bot.key.patch(`/v1/bots/${bot.id}`, { timeout_seconds: 600 });
    return id;
  }

  it('A conversation whose bot stays silent is handed off in time, although fifty attempts hang.', async () => {
    const awaited = await startAwaited();
    server.reply(() => undefined);
    const visitors = await Promise.all(Array.from({ length: MAX_LIVE_OF_WORKSPACE + 2 }, () => world.visitor(desk)));
    await Promise.all(visitors.map(visitor => world.conversation(visitor)));
    await eventually(() => live().ids().length >= MAX_LIVE_OF_WORKSPACE || undefined);
    const hanging = live().ids();
    world.app.clock.advance(121);
    expect(await untilOpen(awaited)).toMatchObject({ handoff: { reason: 'bot_unresponsive' } });
    expect(live().ids()).toEqual(expect.arrayContaining(hanging));
  });

  it('A conversation whose bot stays silent is handed off in time, although the instance may begin no attempt.', async () => {
    const awaited = await startAwaited();
    const room = jest.spyOn(live(), 'room', 'get').mockReturnValue(0);
    world.app.clock.advance(121);
    expect(await untilOpen(awaited)).toMatchObject({ handoff: { reason: 'bot_unresponsive' } });
    room.mockRestore();
  });

  it('A conversation whose attempt has failed is handed off at its time, although no other attempt may begin.', async () => {
    await bot.key.patch(`/v1/bots/${bot.id}`, { timeout_seconds: 60 });
    server.reply((_delivery, response) => void response.writeHead(500).end());
    const id = await start();
    await untilFailed(id, 1);
    const room = jest.spyOn(live(), 'room', 'get').mockReturnValue(0);
    world.app.clock.advance(61);
    expect(await untilOpen(id)).toMatchObject({ handoff: { reason: 'bot_unresponsive' } });
    expect(server.of('message.created')).toHaveLength(1);
    room.mockRestore();
  });
});

describe('A bot that sends through the API before it answers 2xx', () => {
  it('Its message counts as the answer of the turn.', async () => {
    server.reply(async (delivery, response) => {
      const { id } = delivery.conversation as Json;
      await bot.key.post(`/v1/conversations/${id as string}/messages`, { content: 'At once.', bot_id: bot.id });
      response.writeHead(202).end();
    });
    const id = await start();
    await eventually(async () => (await turn(id)).state === 'answered' || undefined);
    world.app.clock.advance(700);
    expect(await readConversation(id)).toMatchObject({ status: 'pending', control: 'bot' });
    expect((await messagesByBot(id)).map(({ content }) => content)).toEqual(['At once.']);
  });
});

describe('Trying a bot', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['a blank message', response => sendJson(response, { messages: [{ content: ' ' }] })],
    [
      'reserved metadata',
      response => sendJson(response, { messages: [{ content: 'x', metadata: { draft_id: 'x' } }] }),
    ],
    ['an unknown action', response => sendJson(response, { action: { type: 'refund' } })],
    ['an unknown action in a stream', response => events(response, 'event: action\ndata: {"type":"refund"}\n\n')],
    [
      'a streamed message that is too long',
      response => events(response, `event: delta\ndata: {"text":"${'x'.repeat(20_001)}"}\n\n`),
    ],
  ])('A test reports an answer that a turn would refuse: %s.', async (_name, respond) => {
    server.reply((_delivery, response) => respond(response));
    const { data } = await desk.owner.api.post(`/v1/bots/${bot.id}/test`);
    expect(data).toMatchObject({ ok: false, status: 200, error: 'answer_unusable' });
  });
});
