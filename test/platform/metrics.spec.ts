import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { startApp } from '../support/app.js';
import { rememberSecret } from '../support/known-secrets.js';
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

  it.each(['short', 'with a space in the middle', 'ümlaut-ümlaut-ümlaut'])(
    'The service refuses to start with METRICS_TOKEN=%j.',
    async value => {
      await expect(startApp({ METRICS_TOKEN: value })).rejects.toThrow(/METRICS_TOKEN/);
    },
  );
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
