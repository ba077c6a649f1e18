import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Histogram, Registry } from 'prom-client';
import type { TestApp } from '../support/app.js';
import { startApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { rememberSecret } from '../support/known-secrets.js';
import { BotServer, routeToBot } from '../support/bot-server.js';
import { LOCAL_WEBHOOKS, WebhookReceiver } from '../support/webhook-receiver.js';
import { unique, World } from '../support/world.js';

const TOKEN = 'scrape-4dd1a9c07f6b42';
rememberSecret('the metrics token', TOKEN);
const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://chat.harbour.test',
  ALLOW_INSECURE_HTTP: 'on',
  BCRYPT_COST: '12',
  JWT_SECRETS: 'Zk3vQ9rT7wLx2NfB5hGd8YpC4mJs6Ke1RqUa',
  ENCRYPTION_KEYS: 'Hn6tWb2ScV8xDz4LqPf9MrYj5KgEu7Ta3XoQ',
};

let app: TestApp | undefined;
afterEach(async () => {
  await app?.stop();
  app = undefined;
});

/** Status, error code and challenge of `/metrics`, and true if it returned metrics. */
async function scrape(authorization?: string): Promise<unknown[]> {
  const headers = new Headers(authorization === undefined ? [] : [['Authorization', authorization]]);
  const answer = await fetch(`${app?.url}/metrics`, { headers });
  const body = await answer.text();
  const code = body.startsWith('{') ? (JSON.parse(body) as { error: { code: string } }).error.code : undefined;
  return [answer.status, code, answer.headers.get('www-authenticate'), body.includes('process_cpu_seconds_total')];
}

describe('/metrics', () => {
  it.each([['test'], ['production']])('/metrics requires METRICS_TOKEN where it is set (NODE_ENV=%s).', async mode => {
    app = await startApp({ ...(mode === 'production' ? PRODUCTION : {}), METRICS_TOKEN: TOKEN });
    expect(await scrape()).toEqual([401, 'unauthenticated', 'Bearer', false]);
    for (const wrong of [`${TOKEN}x`, TOKEN.slice(0, -1), TOKEN.toUpperCase()]) {
      expect(await scrape(`Bearer ${wrong}`)).toEqual([401, 'invalid_token', 'Bearer error="invalid_token"', false]);
    }
    expect(await scrape(`Bearer ${TOKEN}`)).toEqual([200, undefined, null, true]);
    // Probes need no token.
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
  });

  it('/metrics answers 404 in production without METRICS_TOKEN, whatever token is sent.', async () => {
    app = await startApp(PRODUCTION);
    for (const authorization of [undefined, `Bearer ${TOKEN}`, 'Bearer null', 'Bearer undefined']) {
      expect((await scrape(authorization)).slice(0, 2)).toEqual([404, 'not_found']);
    }
  });

  it('/metrics is open outside production without METRICS_TOKEN.', async () => {
    app = await startApp();
    expect(await scrape()).toEqual([200, undefined, null, true]);
  });

  it('Two instances in one process share the observers of Node’s own metrics.', async () => {
    app = await startApp();
    const second = await startApp({}, { database: app.database });
    const collections = (instance: TestApp) => instance.app.get(Registry).getSingleMetric('nodejs_gc_duration_seconds');
    try {
      expect(collections(app)).toBeInstanceOf(Histogram);
      expect(collections(second)).toBe(collections(app));
    } finally {
      await second.stop();
    }
  });

  it.each(['short', 'with a space in the middle', 'ümlaut-ümlaut-ümlaut'])(
    'The service refuses to start with METRICS_TOKEN=%j.',
    async value => {
      await expect(startApp({ METRICS_TOKEN: value })).rejects.toThrow(/METRICS_TOKEN/);
    },
  );
});

describe('Metrics of the load', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ ...LOCAL_WEBHOOKS, RATE_LIMITS: 'login=1/60' });
  });
  afterAll(() => world.stop());

  /** Value of the metric whose name and labels begin like this; null if there is none. */
  const valueOf = async (beginning: string): Promise<number | null> => {
    const text = await (await fetch(`${world.app.url}/metrics`)).text();
    const line = text.split('\n').find(one => one.startsWith(beginning));
    return line === undefined ? null : Number(line.split(' ').at(-1));
  };

  it('/metrics counts requests by route, and those without a route together.', async () => {
    const desk = await world.desk();
    await desk.owner.api.get('/v1/workspace/members?limit=1');
    await desk.owner.api.get(`/v1/conversations/${desk.workspaceId}`);
    await world.anyone.get('/v1/nowhere/at/all');
    const count = 'http_request_duration_seconds_count';
    expect(await valueOf(`${count}{method="GET",route="/v1/workspace/members",status="2xx"}`)).toBe(1);
    expect(await valueOf(`${count}{method="GET",route="/v1/conversations/:id",status="4xx"}`)).toBe(1);
    expect(await valueOf(`${count}{method="GET",route="none",status="4xx"}`)).toBe(1);
  });

  it('/metrics shows open sockets by principal, and counts closed ones by code.', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const [page, inbox] = [await world.visitorSocket(visitor), await world.agentSocket(desk.owner)];
    expect(await valueOf('sockets_open{principal="visitor"}')).toBe(1);
    expect(await valueOf('sockets_open{principal="agent"}')).toBe(1);
    await page.close();
    await eventually(async () => ((await valueOf('sockets_closed_total{code="1005"}')) === 1 ? true : undefined));
    expect(await valueOf('sockets_open{principal="visitor"}')).toBe(null);
    await inbox.close();
  });

  it('/metrics counts messages by the way they were stored, and the sizes of shared statements.', async () => {
    const [before, batches] = [
      await valueOf('messages_total{way="statement"}'),
      await valueOf('message_batch_size_count'),
    ];
    const desk = await world.desk();
    const { id } = await world.conversation(await world.visitor(desk));
    const started = await valueOf('messages_total{way="transaction"}');
    expect(started).toBeGreaterThan(0);
    await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'A note.', private: true });
    expect(await valueOf('messages_total{way="statement"}')).toBe((before ?? 0) + 1);
    expect(await valueOf('message_batch_size_count')).toBe((batches ?? 0) + 1);
    expect(await valueOf('messages_total{way="transaction"}')).toBe(started);
  });

  it('/metrics counts deliveries to webhooks by outcome: delivered, retried, and failed.', async () => {
    const desk = await world.desk();
    const receiver = await WebhookReceiver.start();
    const made = await desk.owner.api.post('/v1/webhooks', { url: receiver.url, events: ['message.created'] });
    receiver.secrets.push(made.data.secret as string);
    const answers: Record<string, number> = { delivered: 200, retried: 503, failed: 410 };
    receiver.respond = ({ body }, response) => void response.writeHead(answers[body.data.message.content] ?? 500).end();
    const outcomes = ['delivered', 'delivered', 'retried', 'failed'];
    const { id } = await world.conversation(await world.visitor(desk), outcomes[0]);
    for (const content of outcomes.slice(1)) await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content });
    const counts = () =>
      Promise.all(Object.keys(answers).map(one => valueOf(`webhook_deliveries_total{outcome="${one}"}`)));
    await eventually(async () => ((await counts()).join() === '2,1,1' ? true : undefined), 10_000, counts);
    await receiver.stop();
  });

  it('/metrics counts attempts to deliver to bots by outcome: answered, failed, and cancelled.', async () => {
    const desk = await world.desk();
    const server = await BotServer.start();
    await routeToBot(world, desk, server);
    const counts = () =>
      Promise.all(['answered', 'failed', 'cancelled'].map(one => valueOf(`bot_attempts_total{outcome="${one}"}`)));
    const until = (expected: (number | null)[]) =>
      eventually(async () => ((await counts()).join() === expected.join() ? true : undefined), 10_000, counts);
    server.answerWith('Hello.');
    await world.conversation(await world.visitor(desk));
    await until([1, null, null]);
    server.reply(() => undefined);
    const { id } = await world.conversation(await world.visitor(desk));
    await server.next('message.created', id as string);
    await desk.owner.api.post(`/v1/conversations/${id}/assign`, { member_id: desk.owner.memberId });
    await until([1, null, 1]);
    server.reply((_delivery, response) => void response.writeHead(500).end());
    await world.conversation(await world.visitor(desk));
    await until([1, 1, 1]);
    await server.receiver.stop();
  });

  it('/metrics shows the connection pool, the password queue and refusals by limit.', async () => {
    const { email } = (await world.desk()).owner;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await world.anyone.post('/v1/auth/login', { email, password: 'wrong password' });
    }
    expect(await valueOf('rate_limit_refusals_total{limit="login"}')).toBe(2);
    expect(await valueOf('password_queue_length')).toBe(0);
    expect(await valueOf('database_connections{state="waiting"}')).toBe(0);
    expect(await valueOf('database_connections{state="idle"}')).toBeGreaterThan(0);
  });
});

describe('The Grafana dashboard and the operations guide', () => {
  let metrics: { name: string; type: string }[];
  beforeAll(async () => {
    const started = await startApp();
    const text = await (await fetch(`${started.url}/metrics`)).text();
    metrics = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
    await started.stop();
  });

  const dashboard = readFileSync('docs/grafana-dashboard.json', 'utf8');
  const guide = readFileSync('docs/OPERATIONS.md', 'utf8');
  const isNodes = ({ name }: { name: string }) => /^(nodejs|process)_/.test(name);

  it('The dashboard queries only metrics that the service has.', () => {
    const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] };
    const queried = panels.flatMap(({ targets = [] }) => targets).flatMap(({ expr }) => expr.match(/\w+(?=\{)/g) ?? []);
    const known = metrics.flatMap(({ name, type }) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    );
    expect(queried.length).toBeGreaterThan(20);
    expect(queried.filter(name => !known.includes(name))).toEqual([]);
  });

  it('Every metric of the service is in the dashboard and explained in the guide.', () => {
    const own = metrics.filter(metric => !isNodes(metric)).map(({ name }) => name);
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter(name => !dashboard.includes(name) || !guide.includes(`\`${name}`))).toEqual([]);
  });
});

describe('Metric labels', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it('Metric labels contain no id, address or URL after typical use.', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk, { external_id: unique('user'), email: 'vera@example.com' });
    const [page, inbox] = [await world.visitorSocket(visitor), await world.agentSocket(desk.owner)];
    const conversation = await world.conversation(visitor);
    await desk.owner.api.post(`/v1/conversations/${conversation.id}/messages`, { content: 'Hello.' });
    await page.next('message.created', ({ data }) => data.message.content === 'Hello.');
    await world.anyone.post('/v1/auth/login', { email: desk.owner.email, password: 'wrong password' });
    await (await world.apiKey(desk)).get('/v1/contacts/nobody');
    await inbox.close();
    const text = await (await fetch(`${world.app.url}/metrics`)).text();
    const labels = [...text.matchAll(/[{,](\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => ({ name, value }));
    expect(labels.length).toBeGreaterThan(10);
    const identifying = /[0-9a-f]{8}-[0-9a-f]{4}-|@|:\/\/|\/v1\/.*[0-9a-f]{8}|\b\d{1,3}(\.\d{1,3}){3}\b|::/i;
    expect(labels.filter(({ value = '' }) => identifying.test(value))).toEqual([]);
  });
});
