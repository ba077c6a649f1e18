import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { items, pages, ServerClient, type Page, type PageQuery } from '../../clients/sdk/src/index.js';
import { FakeService, ok } from './fake-service.js';

describe('The server client', () => {
  const options = { baseUrl: 'http://127.0.0.1', apiKey: 'svc_sk_test' };
  const page = globalThis as { document?: object };

  afterEach(() => {
    delete page.document;
  });

  it('The server client refuses to run in a browser, where its key would be public', () => {
    page.document = {};
    expect(() => new ServerClient(options)).toThrow('does not run in a browser');
    expect(() => new ServerClient({ ...options, dangerouslyAllowBrowser: true })).not.toThrow();
  });

  it('The server client sends the given Idempotency-Key with everything it creates', async () => {
    const service = await FakeService.start();
    const routes = [
      '/v1/workspace/members',
      '/v1/contacts',
      '/v1/channels',
      '/v1/bots',
      '/v1/webhooks',
      '/v1/conversations',
    ];
    for (const route of routes) service.on(`POST ${route}`, () => ok({ id: 'm1' }, 201));
    const server = new ServerClient({ ...options, baseUrl: service.baseUrl });
    const once = { idempotencyKey: 'import-7' };
    await server.members.create({ email: 'a@example.com', name: 'A' }, once);
    await server.contacts.create({ name: 'A' }, once);
    await server.channels.create({ name: 'A' }, once);
    await server.bots.create({ name: 'A' }, once);
    await server.webhooks.create({ url: 'https://shop.example/hook', events: ['*'] }, once);
    await server.conversations.create({ contact_id: 'c', channel_id: 'ch' }, once);
    expect(service.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(routes.map(() => 'import-7'));
    await service.stop();
  });

  it('A client reaches the rows of any collection by its path, and an id cannot change the route', async () => {
    const service = await FakeService.start();
    service.fallback = ({ method }) => ok({ method });
    const responses = new ServerClient({ ...options, baseUrl: service.baseUrl }).resource('/v1/canned-responses');
    await responses.list({ limit: 2, query: 'th' });
    await responses.create({ short_code: 'thanks', title: 'Thanks', content: 'Thank you!' });
    await responses.get('../bots');
    await responses.update('r1', { title: 'Thank you' });
    await responses.delete('r1');
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/canned-responses',
      'POST /v1/canned-responses',
      'GET /v1/canned-responses/..%2Fbots',
      'PATCH /v1/canned-responses/r1',
      'DELETE /v1/canned-responses/r1',
    ]);
    expect(service.requests[0]?.query).toEqual({ limit: '2', query: 'th' });
    expect(service.requests[3]?.body).toEqual({ title: 'Thank you' });
    await service.stop();
  });
});

describe('Paging through a list', () => {
  const queries: PageQuery[] = [];
  const list = (query: PageQuery): Promise<Page<number>> => {
    queries.push(query);
    const from = Number(query.cursor ?? 0);
    return Promise.resolve({ items: [from, from + 1], next_cursor: from < 4 ? String(from + 2) : null });
  };

  beforeEach(() => {
    queries.length = 0;
  });

  it('A list is read page by page to its end, with the same query', async () => {
    const seen: number[][] = [];
    for await (const page of pages(next => list({ limit: 2, ...next }))) seen.push(page.items);
    expect(seen).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(queries).toEqual([{ limit: 2 }, { limit: 2, cursor: '2' }, { limit: 2, cursor: '4' }]);
  });

  it('A list is read no further than its consumer iterates', async () => {
    for await (const item of items(list)) if (item === 2) break;
    expect(queries).toHaveLength(2);
  });
});
