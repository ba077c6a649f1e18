import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startDemoWorkspace } from '../support/demo-workspace.js';
import { eventually } from '../support/eventually.js';
import { ExampleProcess } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';
import type { Caller } from '../support/http.js';
import type { Json } from '../support/json.js';
import { blocksIn, brokenLinks } from '../support/pages.js';
import { runShell } from '../support/shell.js';
import { LOCAL_WEBHOOKS } from '../support/webhook-receiver.js';
import type { Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const WAIT_MS = 20_000;
/** The steps of the README start dozens of processes. */
const SHELL_MS = 120_000;
const WRONG_SECRET = `whsec_${Buffer.from('not the secret of the webhook').toString('base64')}`;
const RETURNS = 'You can send everything back within 30 days. We refund the money as soon as your parcel arrives.';

let world: World;
let desk: Desk;
let key: Caller;
let example: ExampleProcess;

beforeAll(async () => {
  world = await World.start(LOCAL_WEBHOOKS);
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  key = await world.apiKey(desk);
});

/** Sends a delivery that is signed with this secret. */
async function deliver(url: string, secret: string, body: object, id = 'e1'): Promise<number> {
  const [text, at] = [JSON.stringify(body), new Date()];
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, text),
  };
  const { status } = await fetch(url, { method: 'POST', headers, body: text });
  return status;
}

describe('The FAQ bot', () => {
  let visitor: Visitor;
  let botId: string;
  let secret: string;

  beforeEach(async () => {
    const responses = [
      { short_code: 'hours', title: 'Opening hours', content: 'We are open from 9 to 5, {{contact.name}}.' },
      { short_code: 'returns', title: 'Return policy', content: RETURNS, tags: ['refund'] },
      { short_code: 'thanks', title: 'Thanks', content: 'Thank you, says {{agent.name}}!' },
    ];
    for (const response of responses) await key.post('/v1/canned-responses', response);
    ({ id: botId, secret } = (await key.post('/v1/bots', { name: 'FAQ bot' })).data);
    const scopes = ['canned-responses:read', 'conversations:read'];
    const narrowKey = await world.apiKey(desk, { scopes });
    const env = { CHAT_URL: world.app.url, API_KEY: narrowKey.token ?? '', BOT_SECRET: secret };
    example = await ExampleProcess.start('faq-bot', env);
    await key.patch(`/v1/bots/${botId}`, { webhook_url: example.url });
    await key.patch(`/v1/channels/${desk.channelId}`, { routing: { bot_id: botId } });
    visitor = await world.visitor(desk, { name: 'Vera' });
  });
  afterEach(() => example.stop());

  /** Waits for the first message of the bot in a conversation. */
  function answerIn(id: string): Promise<Json> {
    return eventually(
      async () => {
        const { items } = (await key.get(`/v1/conversations/${id}/messages`)).data;
        return (items as Json[]).find(({ sender_id, content_type }) => sender_id === botId && content_type === 'text');
      },
      WAIT_MS,
      () => example.lines,
    );
  }

  function untilOpen(id: string): Promise<Json> {
    return eventually(
      async () => {
        const { data } = await key.get(`/v1/conversations/${id}`);
        return data.status === 'open' ? data : undefined;
      },
      WAIT_MS,
      () => example.lines,
    );
  }

  it('The FAQ bot answers a question from a canned response, with its variables filled in.', async () => {
    const { id } = await world.conversation(visitor, 'What are your opening hours?');
    expect(await answerIn(id)).toMatchObject({ content: 'We are open from 9 to 5, Vera.', metadata: {} });
    expect((await key.get(`/v1/conversations/${id}`)).data).toMatchObject({ status: 'pending', control: 'bot' });
  });

  it('The FAQ bot streams a long answer, which the visitor sees grow.', async () => {
    const socket = await world.visitorSocket(visitor);
    const { id } = await world.conversation(visitor, 'Do you give refunds?');
    const draft = await socket.next('message.draft', () => true, WAIT_MS);
    expect(draft.data.state).toBe('streaming');
    expect(RETURNS.startsWith(draft.data.text as string)).toBe(true);
    expect(draft.data.text.length).toBeLessThan(RETURNS.length);
    expect(await answerIn(id)).toMatchObject({ content: RETURNS, metadata: { draft_id: draft.data.draft_id } });
    await socket.close();
  });

  it.each([
    ['asks for a person', 'Can I talk to a person?', 'asked_for_person'],
    ['asks what no canned response answers', 'Is the blue one waterproof?', 'no_answer'],
    ['asks for a response with a variable that has no value', 'Many thanks!', 'no_answer'],
  ])('The FAQ bot hands off when the visitor %s.', async (_name, question, reason) => {
    const { id } = await world.conversation(visitor, question);
    expect(await untilOpen(id)).toMatchObject({ control: 'human', handoff: { reason } });
    expect((await answerIn(id)).content).toBe('I will get a colleague.');
  });

  it('The FAQ bot answers a test delivery, and 401 to a request that is not signed with its secret.', async () => {
    expect((await key.post(`/v1/bots/${botId}/test`)).data).toMatchObject({
      ok: true,
      messages: [{ content: 'The bot is ready.' }],
    });
    expect(await deliver(example.url, secret, { event: 'conversation.ended' })).toBe(204);
    expect(await deliver(example.url, WRONG_SECRET, { event: 'test' })).toBe(401);
    expect((await fetch(example.url, { method: 'POST' })).status).toBe(401);
  });
});

describe('The webhook receiver', () => {
  let secret: string;

  beforeEach(async () => {
    // The secret is known once the webhook exists; its URL once the receiver listens.
    const body = { url: `http://127.0.0.1:${await freePort()}/`, events: ['message.created'] };
    const webhook = (await key.post('/v1/webhooks', body)).data;
    ({ secret } = webhook);
    example = await ExampleProcess.start('webhook-receiver', { WEBHOOK_SECRET: secret });
    await key.patch(`/v1/webhooks/${webhook.id}`, { url: example.url });
  });
  afterEach(() => example.stop());

  it('The receiver prints an event that the service delivers.', async () => {
    await world.conversation(await world.visitor(desk), 'Where is my parcel?');
    const line = await eventually(() => example.lines[0], WAIT_MS);
    expect(line).toMatch(/^\d{4}-\S+Z message\.created \{.*"content":"Where is my parcel\?".*\}$/);
  });

  it('The receiver accepts a repeated event and prints it once.', async () => {
    const event = { id: 'e1', type: 'message.created', timestamp: '2026-01-31T09:30:00.000000Z', data: {} };
    const next = { ...event, id: 'e2', type: 'message.updated' };
    const statuses = [];
    for (const sent of [event, event, next]) statuses.push(await deliver(example.url, secret, sent, sent.id));
    expect(statuses).toEqual([204, 204, 204]);
    await eventually(() => (example.lines.length >= 2 ? true : undefined));
    expect(example.lines.map(line => line.split(' ')[1])).toEqual(['message.created', 'message.updated']);
  });

  it('The receiver answers 401 to a request that is not signed with its secret, and prints nothing.', async () => {
    const event = { id: 'e1', type: 'message.created', timestamp: '2026-01-31T09:30:00.000000Z', data: {} };
    expect(await deliver(example.url, WRONG_SECRET, event)).toBe(401);
    expect((await fetch(example.url, { method: 'POST' })).status).toBe(401);
    expect(example.lines).toEqual([]);
  });
});

describe('The README of the examples', () => {
  const page = 'examples/README.md';

  it(
    'The shell steps of the README of the examples succeed in order.',
    async () => {
      const demo = await startDemoWorkspace(LOCAL_WEBHOOKS);
      const ports = { 4001: await freePort(), 4002: await freePort() };
      const steps = blocksIn(readFileSync(page, 'utf8'), 'sh')
        .filter(block => !block.includes('npm run demo'))
        .map(block => block.replaceAll('localhost:3000', new URL(demo.app.url).host).replace('sleep 3', 'sleep 6'))
        .map(block => block.replace(/127\.0\.0\.1:(4001|4002)/g, (_, port: '4001') => `127.0.0.1:${ports[port]}`))
        .map(block =>
          block.replace(/ node examples\/(faq-bot|webhook-receiver)/, (started, name) => {
            const port = name === 'faq-bot' ? ports[4001] : ports[4002];
            return ` PORT=${port} CHAT_URL=${demo.app.url}${started}`;
          }),
        );
      const { code, out } = await runShell(
        `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n${steps.join('\necho\n')}`,
      );
      expect(code === 0 ? '' : out).toBe('');
      expect(out.match(/"ok":false[^\n]*/g)).toBeNull();
      for (const pattern of [
        /"content":"The bot is ready\."/,
        /soon as your parcel arrives\.$/m,
        /asked_for_person$/m,
        / webhook\.test \{/,
        / message\.created \{.*"Are you there\?"/,
      ]) {
        expect(out).toMatch(pattern);
      }
      await demo.stop();
    },
    SHELL_MS,
  );

  it('The README of the examples links to existing files only.', () => {
    expect(brokenLinks(page)).toEqual([]);
  });
});
