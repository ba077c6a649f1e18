import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { RoutedBot } from '../support/bot-server.js';
import { BotServer, routeToBot, sendJson, StreamedReply } from '../support/bot-server.js';
import { eventually } from '../support/eventually.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { RACE_SEEDS } from '../support/race.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import { TwoInstances } from '../support/two-instances.js';
import { LOCAL_WEBHOOKS } from '../support/webhook-receiver.js';
import type { Desk, Visitor, World } from '../support/world.js';

const SLOW_MS = 120_000;
const SEEDS = Array.from({ length: RACE_SEEDS }, (_nothing, index) => index + 1);

let both: TwoInstances;
let worlds: readonly World[];
let server: BotServer;
let desk: Desk;
let bot: RoutedBot;

beforeAll(async () => {
  both = await TwoInstances.start(LOCAL_WEBHOOKS);
  worlds = both.worlds;
  server = await BotServer.start();
  [desk, bot] = await newDesk();
});
afterEach(() => worlds.forEach(({ app }) => app.clock.reset()));
afterAll(async () => {
  await server.receiver.stop();
  await both.stop();
});

async function newDesk(): Promise<[Desk, RoutedBot]> {
  const made = await worlds[0]!.desk();
  return [made, await routeToBot(worlds[0]!, made, server, { timeout_seconds: 600 })];
}

/** The same caller at one of the instances. */
function at(random: () => number, token: string): Caller {
  return worlds[random() < 0.5 ? 0 : 1]!.as(token);
}

const readAll = async (id: string): Promise<Json[]> =>
  (await desk.owner.api.get(`/v1/conversations/${id}/messages?limit=100`)).data.items;
const read = async (id: string): Promise<Json> => (await desk.owner.api.get(`/v1/conversations/${id}`)).data;
const isByBot = ({ sender_id, content_type }: Json) => sender_id === bot.id && content_type === 'text';
const eventOf = ({ metadata }: Json) => (metadata as { event?: string }).event;

async function turnsOf(id: string): Promise<{ id: string; state: string }[]> {
  const sql = `SELECT id, state FROM bot_turn WHERE conversation_id = $1 AND kind = 'message' ORDER BY seq`;
  return worlds[0]!.app.database.query(sql, [id]);
}

/** Waits until no turn of the conversation is unfinished. */
function untilEnded(id: string, count: number): Promise<{ id: string; state: string }[]> {
  return eventually(
    async () => {
      const turns = await turnsOf(id);
      const isEnded = turns.every(({ state }) => ['answered', 'cancelled', 'failed'].includes(state));
      return turns.length === count && isEnded ? turns : undefined;
    },
    20_000,
    () => turnsOf(id),
  );
}

async function startWithPendingAnswer(visitor: Visitor): Promise<{ id: string; response: ServerResponse }> {
  const pending = new Promise<ServerResponse>(resolve => server.reply((_delivery, response) => resolve(response)));
  const { id } = await worlds[0]!.conversation(visitor);
  return { id: id as string, response: await pending };
}

describe('An agent who takes over while the bot streams', () => {
  it(
    `Either the whole message is stored before, or nothing of it, on two instances (${SEEDS.length} seeds).`,
    async () => {
      for (const seed of SEEDS) {
        const random = seeded(seed);
        const { id, response } = await startWithPendingAnswer(await worlds[0]!.visitor(desk));
        const stream = new StreamedReply(response);
        const write = async (): Promise<void> => {
          for (const text of ['Your ', 'parcel ', 'is ', 'here.']) {
            stream.send('delta', { text });
            await waitUpTo(random, 8);
          }
          stream.end();
        };
        const take = async (): Promise<void> => {
          await waitUpTo(random, 40);
          expect((await at(random, desk.owner.token).post(`/v1/conversations/${id}/take`)).status).toBe(200);
        };
        await Promise.all([write(), take()]);
        const [turn] = await untilEnded(id, 1);
        const messages = await readAll(id);
        const contents = messages.filter(isByBot).map(({ content }) => content);
        expect([seed, turn?.state, contents]).toEqual([
          seed,
          turn?.state === 'answered' ? 'answered' : 'cancelled',
          turn?.state === 'answered' ? ['Your parcel is here.'] : [],
        ]);
        const taken = messages.findIndex(message => eventOf(message) === 'assigned');
        expect(taken).toBeGreaterThan(0);
        expect(messages.slice(taken).filter(isByBot)).toEqual([]);
        expect(await read(id)).toMatchObject({ status: 'open', control: 'human', assignee_id: desk.owner.memberId });
      }
    },
    SLOW_MS,
  );
});

describe('A visitor who writes while the bot thinks', () => {
  it(
    `Five messages are answered once each, in their order, on two instances (${SEEDS.length} seeds).`,
    async () => {
      for (const seed of SEEDS) {
        const random = seeded(seed);
        const visitor = await worlds[0]!.visitor(desk);
        server.reply(async (delivery, response) => {
          await waitUpTo(random, 15);
          sendJson(response, { messages: [{ content: `Answer to ${(delivery.message as Json).content as string}` }] });
        });
        const { id } = await worlds[0]!.conversation(visitor, '1');
        for (const content of ['2', '3', '4', '5']) {
          await waitUpTo(random, 15);
          const path = `/v1/widget/conversations/${id as string}/messages`;
          expect((await at(random, visitor.token).post(path, { content })).status).toBe(201);
        }
        const turns = await untilEnded(id as string, 5);
        const answers = (await readAll(id as string)).filter(isByBot);
        expect([seed, answers.map(({ content }) => content)]).toEqual([
          seed,
          [1, 2, 3, 4, 5].map(number => `Answer to ${number}`),
        ]);
        expect(answers.map(({ client_message_id }) => client_message_id)).toEqual(turns.map(({ id }) => `${id}:1`));
      }
    },
    SLOW_MS,
  );
});

describe('A bot, an agent, a visitor and the time-out at once', () => {
  it(
    `One of them ends the bot's control, and nothing of the bot follows (${SEEDS.length} seeds).`,
    async () => {
      for (const seed of SEEDS) {
        const random = seeded(seed);
        const visitor = await worlds[0]!.visitor(desk);
        const { id, response } = await startWithPendingAnswer(visitor);
        const ends = [
          async () => {
            await waitUpTo(random, 20);
            sendJson(response, { messages: [{ content: 'Good bye.' }], action: { type: 'handoff' } });
          },
          async () => {
            await waitUpTo(random, 20);
            await at(random, desk.owner.token).post(`/v1/conversations/${id}/take`);
          },
          async () => {
            await waitUpTo(random, 20);
            await at(random, visitor.token).post(`/v1/widget/conversations/${id}/messages`, { content: 'And?' });
          },
          async () => {
            await waitUpTo(random, 20);
            const sql = `UPDATE bot_turn SET deadline_at = now(), due_at = now() WHERE conversation_id = $1 AND ended_at IS NULL`;
            if (random() < 0.5) await worlds[0]!.app.database.query(sql, [id]);
          },
        ];
        await Promise.all(ends.map(end => end()));
        const ended = await eventually(
          async () => {
            const turns = await turnsOf(id);
            const isEnded = turns.every(({ state }) => ['answered', 'cancelled', 'failed'].includes(state));
            return isEnded && (await read(id)).control === 'human' ? turns : undefined;
          },
          20_000,
          async () => [seed, await turnsOf(id), await readAll(id)],
        );
        const messages = await readAll(id);
        const byBot = messages.filter(isByBot);
        expect([seed, byBot.length]).toEqual([seed, ended[0]?.state === 'answered' ? 1 : 0]);
        const leaving = ['handed_over', 'assigned', 'resolved', 'closed_by_contact'];
        const left = messages.findIndex(message => leaving.includes(eventOf(message) ?? ''));
        expect(left).toBeGreaterThan(0);
        expect(messages.slice(left).filter(isByBot)).toEqual([]);
        server.answerWith('Still here.');
      }
    },
    SLOW_MS,
  );
});

describe('An agent who resolves while the bot thinks, and takes that back', () => {
  it(
    `The question is answered once, on two instances (${SEEDS.length} seeds).`,
    async () => {
      for (const seed of SEEDS) {
        const random = seeded(seed);
        const { id, response } = await startWithPendingAnswer(await worlds[0]!.visitor(desk));
        server.answerWith('There you are.');
        const answer = async (): Promise<void> => {
          await waitUpTo(random, 40);
          sendJson(response, { messages: [{ content: 'There you are.' }] });
        };
        const resolve = async (): Promise<void> => {
          for (const action of ['resolve', 'reopen']) {
            await waitUpTo(random, 20);
            const done = await at(random, desk.owner.token).post(`/v1/conversations/${id}/${action}`);
            expect([seed, action, done.status]).toEqual([seed, action, 200]);
          }
        };
        await Promise.all([answer(), resolve()]);
        const [turn] = await untilEnded(id, 1);
        const answers = (await readAll(id)).filter(isByBot);
        expect([seed, turn?.state, answers.map(({ client_message_id }) => client_message_id)]).toEqual([
          seed,
          'answered',
          [`${turn?.id}:1`],
        ]);
        expect(await read(id)).toMatchObject({ status: 'pending', control: 'bot', reopened_count: 0 });
      }
    },
    SLOW_MS,
  );
});

describe('Disabling a bot while conversations begin', () => {
  it(
    `No conversation stays with the disabled bot, on two instances (${SEEDS.length} seeds).`,
    async () => {
      [desk, bot] = await newDesk();
      server.answerWith('Hello.');
      for (const seed of SEEDS) {
        const random = seeded(seed);
        await bot.key.patch(`/v1/bots/${bot.id}`, { status: 'enabled' });
        const visitors = await Promise.all(Array.from({ length: 6 }, () => worlds[0]!.visitor(desk)));
        const begin = async ({ token }: Visitor): Promise<string> => {
          await waitUpTo(random, 20);
          const body = { message: { content: 'Hello?' } };
          const started = await at(random, token).post('/v1/widget/conversations', body);
          expect(started.status).toBe(201);
          return started.data.conversation.id as string;
        };
        const disable = async (): Promise<void> => {
          await waitUpTo(random, 20);
          expect((await bot.key.patch(`/v1/bots/${bot.id}`, { status: 'disabled' })).status).toBe(200);
        };
        const [ids] = await Promise.all([Promise.all(visitors.map(begin)), disable()]);
        for (const id of ids) {
          await eventually(
            async () => (await read(id)).status === 'open' || undefined,
            20_000,
            async () => [seed, await read(id)],
          );
        }
      }
    },
    SLOW_MS,
  );
});
