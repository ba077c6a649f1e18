import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VisitorClient, type StoredVisitorSession } from '../../clients/sdk/src/index.js';
import { FakeLocks } from './fake-locks.js';
import { FakePage } from './fake-page.js';
import { FakeService, ok, refuse } from './fake-service.js';

let service: FakeService;
beforeEach(async () => {
  service = await FakeService.start();
  let sessions = 0;
  service.on('POST /v1/widget/session', () =>
    ok({ visitor_token: `v${++sessions}`, contact_id: 'contact', expires_in: 60 }),
  );
});
afterEach(() => service.stop());

const SESSION_ROUTE = 'POST /v1/widget/session';
const start = (more: object = {}) => VisitorClient.start({ baseUrl: service.baseUrl, widgetToken: 'wt_1', ...more });

const memory = () => {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
};

describe('The visitor client', () => {
  it('The visitor client sends the identity and details that the page gives', async () => {
    await start({ externalId: 'user-7', name: 'Ada', email: 'ada@example.com', customAttributes: { plan: 'pro' } });
    expect(service.requests[0]!.body).toEqual({
      widget_token: 'wt_1',
      external_id: 'user-7',
      name: 'Ada',
      email: 'ada@example.com',
      custom_attributes: { plan: 'pro' },
    });
  });

  it('The visitor client keeps its anonymous external_id in storage, one per widget token', async () => {
    const storage = memory();
    await start({ storage });
    await start({ storage });
    await start({ storage, widgetToken: 'wt_2' });
    const [first, second, third] = service.requests.map(({ body }) => body['external_id']);
    expect(first).toMatch(/^anon_/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('The visitor client works when the browser’s storage throws', async () => {
    const storage = {
      getItem: () => {
        throw new Error('SecurityError');
      },
      setItem: () => undefined,
    };
    await start({ storage });
    expect(service.requests[0]!.body['external_id']).toMatch(/^anon_/);
  });

  it('The visitor client renews an expired session with the old token, once for many calls, without contact details', async () => {
    service.on('GET /v1/widget/contact', ({ token }) => (token === 'v2' ? ok({}) : refuse(401, 'token_expired')));
    const visitor = await start({ externalId: 'user-7', name: 'Ada', identityToken: () => 'proof' });
    await Promise.all(Array.from({ length: 10 }, () => visitor.contact()));
    const [, renewal, ...more] = service.requestsTo(SESSION_ROUTE);
    expect(more).toEqual([]);
    expect(renewal).toMatchObject({
      token: 'v1',
      body: { widget_token: 'wt_1', external_id: 'user-7', identity_token: 'proof' },
    });
    expect(renewal!.body).not.toHaveProperty('name');
  });

  it('The visitor client gives each message a client_message_id', async () => {
    service.on('POST /v1/widget/conversations/c1/messages', () => ok({}, 201));
    const visitor = await start();
    await visitor.send('c1', 'one');
    await visitor.send('c1', { content: 'two', client_message_id: 'mine' });
    const [one, two] = service.requests.slice(1).map(({ body }) => body['client_message_id']);
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(two).toBe('mine');
  });

  it('The visitor client starts one conversation however often it repeats the request', async () => {
    const route = 'POST /v1/widget/conversations';
    service.on(route, () => {
      const tries = service.requestsTo(route).length;
      return tries === 1 ? 'cut' : tries === 2 ? refuse(409, 'idempotency_in_progress') : ok({}, 201);
    });
    await (await start()).startConversation('hello');
    const tries = service.requestsTo(route);
    const keys = tries.map(({ headers }) => headers['idempotency-key']);
    expect(tries).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    const ids = tries.map(({ body }) => (body['message'] as { client_message_id: string }).client_message_id);
    expect(new Set(ids).size).toBe(1);
    expect(tries[0]!.body).toEqual({ message: { content: 'hello', client_message_id: ids[0] } });
  });

  it('The visitor client may start a conversation again with the same message and other answers', async () => {
    service.on('POST /v1/widget/conversations', ({ body }) =>
      body['pre_chat'] ? ok({}, 201) : refuse(400, 'validation_failed'),
    );
    const visitor = await start();
    const message = { content: 'hello', client_message_id: 'mine' };
    await expect(visitor.startConversation(message)).rejects.toMatchObject({ code: 'validation_failed' });
    await visitor.startConversation(message, { order_number: '4711' });
    const tries = service.requestsTo('POST /v1/widget/conversations');
    expect(tries.map(({ body }) => body['message'])).toEqual([message, message]);
    expect(new Set(tries.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });
});

describe('A stored visitor session', () => {
  const sessions: StoredVisitorSession[] = [];
  const options = () => ({ baseUrl: service.baseUrl, widgetToken: 'wt_1', onSession: keep });
  const keep = (session: StoredVisitorSession) => void sessions.push(session);
  /** The session as another page reads it from its storage. */
  const lastStored = () => JSON.parse(JSON.stringify(sessions.at(-1))) as StoredVisitorSession;
  beforeEach(() => void sessions.splice(0));

  it('The visitor client passes its session to `onSession` as plain data with its end', async () => {
    const before = Date.now();
    const visitor = await start({ externalId: 'user-7', onSession: keep });
    expect(lastStored()).toEqual(visitor.storedSession);
    expect(lastStored()).toMatchObject({ token: 'v1', externalId: 'user-7', contactId: 'contact' });
    expect(lastStored().expiresAt).toBeGreaterThanOrEqual(before + 60_000);
    expect(lastStored().expiresAt).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('The visitor client continues a stored session without a session request', async () => {
    await start({ externalId: 'user-7', onSession: keep });
    service.on('GET /v1/widget/contact', ({ token }) => ok({ token }));
    const visitor = VisitorClient.restore(lastStored(), options());
    expect(service.requests).toHaveLength(1);
    expect(await visitor.contact()).toEqual({ token: 'v1' });
    expect(service.requestsTo(SESSION_ROUTE)).toHaveLength(1);
    expect(() => visitor.session).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });

  it('The visitor client renews a stored session when its token has expired, and passes it to `onSession`', async () => {
    await start({ externalId: 'user-7', name: 'Ada', onSession: keep });
    service.on('GET /v1/widget/contact', ({ token }) => (token === 'v2' ? ok({}) : refuse(401, 'token_expired')));
    const visitor = VisitorClient.restore(lastStored(), { ...options(), identityToken: 'proof' });
    await visitor.contact();
    expect(service.requestsTo(SESSION_ROUTE)[1]).toMatchObject({
      token: 'v1',
      body: { widget_token: 'wt_1', external_id: 'user-7', identity_token: 'proof' },
    });
    expect(lastStored()).toMatchObject({ token: 'v2', externalId: 'user-7' });
    expect(visitor.session.visitor_token).toBe('v2');
  });

  it('The visitor client does not restore the session of another visitor', async () => {
    await start({ externalId: 'user-7', onSession: keep });
    const restore = () => VisitorClient.restore(lastStored(), { ...options(), externalId: 'user-8' });
    expect(restore).toThrow(expect.objectContaining({ status: 401, code: 'unauthenticated' }));
    expect(VisitorClient.restore(lastStored(), { ...options(), externalId: 'user-7' }).storedSession.token).toBe('v1');
  });

  it('The visitor client reads the widget configuration without a session, and needs no preflight for it', async () => {
    service.on('GET /v1/widget/config', () => ok({ channel_name: 'Shop' }));
    expect(await VisitorClient.config(options())).toEqual({ channel_name: 'Shop' });
    const [request, ...more] = service.requests;
    expect([request!.query, more]).toEqual([{ widget_token: 'wt_1' }, []]);
    expect(request!.headers).not.toHaveProperty('x-request-id');
    expect(request!.headers).not.toHaveProperty('authorization');
  });
});

describe('Visitor clients of several tabs', () => {
  let page: FakePage;
  let stored: StoredVisitorSession | undefined;
  beforeEach(() => {
    page = new FakePage({ navigator: { locks: new FakeLocks().ofTab({}) } });
    service.on('GET /v1/widget/contact', ({ token }) => (token === 'v1' ? refuse(401, 'token_expired') : ok({})));
  });
  afterEach(() => page.remove());

  const options = (more: object = {}) => ({
    baseUrl: service.baseUrl,
    widgetToken: 'wt_1',
    externalId: 'user-7',
    onSession: (session: StoredVisitorSession) => void (stored = session),
    readSession: () => stored,
    ...more,
  });

  it('Tabs whose token expires at the same time renew it by one request, and all use the new one', async () => {
    await VisitorClient.start(options());
    const tabs = Array.from({ length: 12 }, () => VisitorClient.restore(stored!, options()));
    await Promise.all(tabs.map(tab => tab.contact()));
    expect(service.requestsTo(SESSION_ROUTE)).toHaveLength(2);
    expect(new Set(tabs.map(({ storedSession }) => storedSession.token))).toEqual(new Set(['v2']));
  });

  it('A tab does not adopt the session of another visitor when it renews its own', async () => {
    const visitor = await VisitorClient.start(options());
    stored = { ...stored!, token: 'other', contactId: 'another contact' };
    await visitor.contact();
    expect(visitor.storedSession).toMatchObject({ token: 'v2', contactId: 'contact' });
  });

  it('A tab without the proof of an identity does not renew its session, but adopts that of a tab with the proof', async () => {
    const proven = await VisitorClient.start(options({ identityToken: 'proof' }));
    const unproven = VisitorClient.restore(stored!, options());
    await expect(unproven.contact()).rejects.toMatchObject({ status: 401, code: 'identity_required' });
    expect(service.requestsTo(SESSION_ROUTE)).toHaveLength(1);
    await proven.contact();
    await unproven.contact();
    expect(service.requestsTo(SESSION_ROUTE)).toHaveLength(2);
  });
});
