import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, ServerClient } from '../../clients/sdk/src/index.js';
import { freePort } from '../support/free-port.js';
import { FakeService, ok, refuse } from './fake-service.js';

let service: FakeService;
beforeEach(async () => {
  service = await FakeService.start();
});
afterEach(() => service.stop());

const failure = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.then(
    () => new Error('it should have failed'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
};
const client = (more: object = {}) => new ServerClient({ baseUrl: service.baseUrl, apiKey: 'svc_sk_test', ...more });

describe('ApiError', () => {
  it('A refused request throws an ApiError with status, code, request id, details, retryAfter and further fields', async () => {
    const details = [{ field: 'name', code: 'too_long', message: 'name is too long' }];
    service.on('GET /v1/workspace', () =>
      refuse(422, 'invalid_transition', { details, from: 'open', to: 'open' }, { 'retry-after': '7' }),
    );
    expect(await failure(client().workspace.get())).toMatchObject({
      status: 422,
      code: 'invalid_transition',
      message: 'refused: invalid_transition',
      requestId: 'fake-request',
      details,
      retryAfter: 7,
      data: { from: 'open', to: 'open' },
    });
  });

  it('A request without a connection throws network_error with status 0', async () => {
    service.on('GET /v1/workspace', () => 'cut');
    expect(await failure(client().workspace.get())).toMatchObject({ status: 0, code: 'network_error' });
  });

  it('A network_error names the address without its query and the reason, and has the network’s error as its cause', async () => {
    const closed = `127.0.0.1:${await freePort()}`;
    const nobody = new ServerClient({ baseUrl: `http://${closed}`, apiKey: 'svc_sk_test' });
    const error = await failure(nobody.conversations.list({ query: 'vera@example.com' }));
    expect(error).toMatchObject({
      status: 0,
      code: 'network_error',
      message: `GET http://${closed}/v1/conversations got no answer: connect ECONNREFUSED ${closed}.`,
    });
    expect((error.cause as { cause: unknown }).cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('A network_error has the innermost message of the network’s error', async () => {
    const refused = (error: unknown) =>
      failure(client({ fetch: () => Promise.reject(error as Error) }).workspace.get()).then(({ message }) => message);
    const prefix = `GET ${service.baseUrl}/v1/workspace got no answer`;
    expect(await refused(new TypeError('Failed to fetch'))).toBe(`${prefix}: Failed to fetch.`);
    const tried = new AggregateError([new Error('connect ECONNREFUSED ::1:80'), new Error('other')], '');
    expect(await refused(new TypeError('fetch failed', { cause: tried }))).toBe(
      `${prefix}: connect ECONNREFUSED ::1:80.`,
    );
    expect(await refused('torn')).toBe(`${prefix}: torn.`);
  });

  it('A request without an answer in time throws timeout with status 0 and the request id', async () => {
    service.on('GET /v1/workspace', () => 'hang');
    const error = await failure(client({ timeoutMs: 50 }).workspace.get());
    expect(error).toMatchObject({ status: 0, code: 'timeout' });
    expect(error.requestId).toBe(service.requests[0]!.headers['x-request-id']);
  });

  it('A test of a bot or a webhook may take longer than other requests', async () => {
    for (const route of ['POST /v1/bots/b1/test', 'POST /v1/webhooks/w1/test', 'GET /v1/workspace']) {
      service.on(route, () => ok({ ok: true }));
    }
    const slow = client({
      timeoutMs: 50,
      fetch: async (url: string, request: RequestInit) => {
        await setTimeout(200);
        return fetch(url, request);
      },
    });
    expect(await slow.bots.test('b1')).toEqual({ ok: true });
    expect(await slow.webhooks.test('w1')).toEqual({ ok: true });
    expect(await failure(slow.workspace.get())).toMatchObject({ code: 'timeout' });
  });

  it.each([
    ['a page of a proxy', 502, '<html>Bad Gateway</html>'],
    ['a success that is no envelope', 200, '{"hello":"world"}'],
    ['a success that is not JSON', 200, 'hello'],
    ['a failure that is no envelope', 500, '{"ok":false}'],
  ])('A request throws invalid_response with the status when the answer is %s', async (_case, status, body) => {
    service.on('GET /v1/workspace', () => ({ status, body }));
    expect(await failure(client().workspace.get())).toMatchObject({ status, code: 'invalid_response' });
  });

  it('A rate limit throws at once, with the time to wait', async () => {
    service.on('POST /v1/conversations/c1/messages', () => refuse(429, 'rate_limited', {}, { 'retry-after': '3' }));
    const error = await failure(client().conversations.send('c1', { content: 'hi', bot_id: 'b1' }));
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 3 });
    expect(service.requests).toHaveLength(1);
  });
});

describe('A request of the SDK', () => {
  it('A request carries a valid request id, and the credential in a header only', async () => {
    service.on('GET /v1/conversations', () => ok({ items: [], next_cursor: null }));
    await client().conversations.list({ status: 'open', limit: 5 });
    const [seen] = service.requests;
    expect(seen!.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
    expect(seen).toMatchObject({ token: 'svc_sk_test', query: { status: 'open', limit: '5' } });
  });

  it('A request reaches the same route whether the base address has /v1 or not', async () => {
    service.on('GET /v1/workspace', () => ok({ id: 'w1' }));
    for (const end of ['', '/', '/v1', '/v1/']) {
      expect(await client({ baseUrl: `${service.baseUrl}${end}` }).workspace.get()).toEqual({ id: 'w1' });
    }
  });

  it('An id cannot lead a request to another route', async () => {
    await failure(client().contacts.get('../api-keys?x=1'));
    expect(service.requests[0]!.path).toBe('/v1/contacts/..%2Fapi-keys%3Fx%3D1');
  });
});

describe('Retries', () => {
  const route = 'POST /v1/conversations/c1/messages';
  const send = () => client().conversations.send('c1', { content: 'hi', bot_id: 'b1' });

  it('A message whose answer was lost is sent again with the same client_message_id', async () => {
    service.on(route, () => (service.requests.length < 3 ? 'cut' : ok({ id: 'm1' }, 201)));
    expect(await send()).toEqual({ id: 'm1' });
    const ids = service.requestsTo(route).map(({ body }) => body['client_message_id']);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });

  it('A message is sent again after a 503', async () => {
    service.on(route, () => (service.requests.length < 2 ? refuse(503, 'unavailable') : ok({ id: 'm1' }, 201)));
    expect(await send()).toEqual({ id: 'm1' });
  });

  it('A message is given up after four attempts', async () => {
    service.on(route, () => 'cut');
    expect(await failure(send())).toMatchObject({ code: 'network_error' });
    expect(service.requests).toHaveLength(4);
  });

  it('A message is not sent again when the service asks for a long wait', async () => {
    service.on(route, () => refuse(503, 'unavailable', {}, { 'retry-after': '60' }));
    expect(await failure(send())).toMatchObject({ code: 'unavailable', retryAfter: 60 });
    expect(service.requests).toHaveLength(1);
  });

  it('A request that was refused, or any other POST, is never sent again', async () => {
    service.on(route, () => refuse(409, 'conversation_moved'));
    await failure(send());
    service.on('POST /v1/workspace/members', () => 'cut');
    await failure(client().members.create({ email: 'a@example.com', name: 'A' }, { idempotencyKey: 'k1' }));
    expect(service.requests).toHaveLength(2);
  });
});
