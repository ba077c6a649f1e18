import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { collectionsOf, committedReference } from '../support/collections.js';
import type { Answer, Caller } from '../support/http.js';
import { race } from '../support/race.js';
import type { Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const WIRE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let world: World;
let desk: Desk;
let api: Caller;
beforeAll(async () => {
  // a page has more rows than a member may have views, or a workspace webhooks or bots
  world = await World.start({ RESOURCE_LIMITS: 'views=1000,webhooks=1000,bots=1000' });
  desk = await world.desk();
  api = desk.owner.api;
});
afterAll(() => world.stop());

/** One failed request of each kind, with the status it should have. */
async function failures(headers: Record<string, string> = {}): Promise<[number, Answer<unknown>][]> {
  const taken = unique('user');
  await api.post('/v1/contacts', { external_id: taken });
  const agent = await world.colleague(desk);
  return [
    [400, await api.post('/v1/contacts', '{', { ...JSON_TYPE, ...headers })],
    [400, await api.patch('/v1/workspace', { name: '' }, headers)],
    [401, await world.anyone.get('/v1/workspace', headers)],
    [401, await world.as('garbage').get('/v1/workspace', headers)],
    [403, await agent.api.patch('/v1/workspace', { name: 'x' }, headers)],
    [404, await api.get(`/v1/contacts/${newId()}`, headers)],
    [404, await api.get('/v1/nothing', headers)],
    [409, await api.post('/v1/contacts', { external_id: taken }, headers)],
    [413, await api.post('/v1/contacts', { name: 'x'.repeat(300_000) }, headers)],
    [415, await api.post('/v1/contacts', 'name=x', { 'Content-Type': 'text/plain', ...headers })],
  ];
}

/** Every value of each field whose name matches, at any depth. */
function valuesOf(body: unknown, name: RegExp): unknown[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([key, value]) => [...(name.test(key) ? [value] : []), ...valuesOf(value, name)]);
}

describe('The response envelope', () => {
  it('Every success has `ok`, `request_id`, `timestamp` and an object as `data`', async () => {
    const contact = await api.post('/v1/contacts', { name: 'Carla' });
    const key = await api.post('/v1/api-keys', { name: 'x' });
    const channel = await world.channel(desk);
    const successes: [number, Answer<unknown>][] = [
      [200, await api.get('/v1/workspace')],
      [200, await api.get('/v1/contacts')],
      [201, contact],
      [200, await api.patch(`/v1/contacts/${contact.data.id}`, {})],
      [200, await api.delete(`/v1/channels/${channel.id}`)],
      [200, await api.delete(`/v1/api-keys/${key.data.id}`)],
      [200, await world.anyone.post('/v1/auth/login', { email: desk.owner.email, password: PASSWORD })],
      [200, await world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken })],
    ];
    for (const [status, answer] of successes) {
      expect(answer.status).toBe(status);
      expect(Object.keys(answer.body).sort()).toEqual(['data', 'ok', 'request_id', 'timestamp']);
      expect([answer.body.ok, typeof answer.data, Array.isArray(answer.data)]).toEqual([true, 'object', false]);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it('Every failure has `ok`, `request_id`, `timestamp` and an `error` with a code and a message', async () => {
    for (const [status, answer] of await failures()) {
      expect(answer.status).toBe(status);
      expect(Object.keys(answer.body).sort()).toEqual(['error', 'ok', 'request_id', 'timestamp']);
      expect(answer.body.ok).toBe(false);
      expect(answer.error.code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(answer.error.message).toMatch(/^[A-Z].*\.$/);
      expect(answer.body.timestamp).toMatch(WIRE_TIME);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it('A validation failure lists every invalid field with its path, code and message', async () => {
    const body = { name: '', allowed_origins: ['https://a.example', 'b'], widget_config: { theme: { mode: 'blue' } } };
    const { error } = await api.post('/v1/channels', { ...body, csat_enabled: 'yes', reopen_window_hours: -1 });
    expect(error.details?.map(({ field, code }) => [field, code])).toEqual(
      expect.arrayContaining([
        ['name', 'too_short'],
        ['allowed_origins', 'format'],
        ['widget_config.theme.mode', 'not_allowed'],
        ['csat_enabled', 'type'],
        ['reopen_window_hours', 'too_small'],
      ]),
    );
    expect(error.details).toHaveLength(5);
    expect(error.details?.every(({ message }) => message.length > 0)).toBe(true);
    expect((await api.post('/v1/channels', {})).error.details).toMatchObject([{ field: 'name', code: 'required' }]);
  });

  it('An internal error is a 500 that reveals nothing about the database', async () => {
    const faulty = await World.start({}, { database: world.app.database });
    await world.app.database.query('ALTER TABLE workspace RENAME TO workspace_hidden');
    const answer = await faulty.as(desk.owner.token).get('/v1/workspace');
    await world.app.database.query('ALTER TABLE workspace_hidden RENAME TO workspace');
    await faulty.stop();
    expect(answer).toMatchObject({ status: 500, error: { code: 'internal_error' } });
    expect(JSON.stringify(answer.body)).not.toMatch(/workspace|relation|SELECT|stack/i);
  });
});

describe('Request ids', () => {
  it.each([
    ['8 characters', 'trace-01'],
    ['letters, digits, dots, dashes and underscores', 'A.b_c-9.'],
    ['128 characters', 'x'.repeat(128)],
  ])('A valid X-Request-Id of the caller is used: %s', async (_case, given) => {
    const answer = await api.get('/v1/workspace', { 'X-Request-Id': given });
    expect([answer.body.request_id, answer.headers['x-request-id']]).toEqual([given, given]);
  });

  it.each([
    ['too short', 'x'.repeat(7)],
    ['too long', 'x'.repeat(129)],
    ['spaces', 'a b c d e f'],
    ['markup', '<script>alert(1)</script>'],
  ])('An invalid X-Request-Id is replaced by a new one: %s', async (_case, given) => {
    const answer = await api.get('/v1/workspace', { 'X-Request-Id': given });
    expect(answer.body.request_id).not.toBe(given);
    expect(answer.body.request_id).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
    expect(answer.headers['x-request-id']).toBe(answer.body.request_id);
  });

  it('Each request has its own request id, on failures too', async () => {
    const answers = (await failures()).map(([, answer]) => answer);
    expect(new Set(answers.map(({ body }) => body.request_id)).size).toBe(answers.length);
    for (const { body, headers } of answers) expect(headers['x-request-id']).toBe(body.request_id);
    for (const [, answer] of await failures({ 'X-Request-Id': 'trace-of-a-failure' })) {
      expect(answer.body.request_id).toBe('trace-of-a-failure');
    }
  });
});

describe('Times and ids', () => {
  it('All times are ISO 8601 in UTC with six fractional digits, and all ids are lower-case UUIDv7', async () => {
    const visitor = await world.visitor(desk, { name: 'Vera' });
    const conversation = await world.conversation(visitor);
    const answers = [
      await api.get('/v1/auth/me'),
      await api.get('/v1/channels'),
      await api.get('/v1/contacts'),
      await api.get('/v1/workspace/members'),
      await api.get('/v1/api-keys'),
      await api.get('/v1/conversations'),
      await api.get(`/v1/conversations/${conversation.id}/messages`),
      await visitor.api.get('/v1/widget/conversations'),
    ];
    const times = valuesOf(
      answers.map(({ body }) => body),
      /_at$|^timestamp$/,
    ).filter(value => value !== null);
    expect(times.length).toBeGreaterThan(20);
    for (const time of times) expect(time).toMatch(WIRE_TIME);
    const ids = valuesOf(
      answers.map(({ data }) => data as object),
      /^id$|(?<!external)_id$/,
    ).filter(value => value !== null);
    expect(ids.length).toBeGreaterThan(20);
    for (const id of ids) expect(id).toMatch(UUID_V7);
  });

  it('The timestamp of the envelope is accurate to the microsecond', async () => {
    const before = Date.now();
    const stamps: string[] = [];
    for (let request = 0; request < 20; request += 1) stamps.push((await api.get('/v1/workspace')).body.timestamp);
    expect(stamps.filter(stamp => !stamp.endsWith('000Z')).length).toBeGreaterThan(10);
    expect([...stamps].sort()).toEqual(stamps);
    const first = Date.parse(stamps[0] ?? '');
    expect(Math.abs(first - before)).toBeLessThan(2_000);
  });

  it('A malformed id is 404 in a path and 400 in a body', async () => {
    const conversation = await world.conversation(await world.visitor(desk));
    for (const bad of ['x', '00000000', newId().toUpperCase(), `${newId()}0`]) {
      expect([bad, (await api.get(`/v1/contacts/${bad}`)).status]).toEqual([bad, 404]);
      const assigned = await api.post(`/v1/conversations/${conversation.id}/assign`, { member_id: bad });
      expect([bad, assigned.status, assigned.error.code]).toEqual([bad, 400, 'validation_failed']);
    }
  });
});

describe('Request bodies', () => {
  it('Unknown body fields and query parameters are ignored', async () => {
    const made = await api.post('/v1/contacts?colour=red', { name: 'Carla', colour: 'red', workspace_id: newId() });
    expect(made.status).toBe(201);
    expect(made.data).not.toHaveProperty('colour');
    expect((await api.get('/v1/contacts?colour=red&page=7')).status).toBe(200);
    const polluting = '{"name":"x","__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}';
    expect((await api.post('/v1/contacts', polluting, JSON_TYPE)).status).toBe(201);
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  it('Free-form attributes are stored unchanged', async () => {
    const attributes = {
      camelCase: 1,
      snake_case: [null, { 'Space d': '' }],
      'ünïcödé 💬': 1.5,
      deep: { a: { b: { c: [] } } },
    };
    const made = await api.post('/v1/contacts', { custom_attributes: attributes });
    expect((await api.get(`/v1/contacts/${made.data.id}`)).data.custom_attributes).toEqual(attributes);
  });

  it('Null clears a nullable field in an update; anywhere else null is refused (400)', async () => {
    const made = await api.post('/v1/contacts', { name: 'Carla', phone: '1' });
    const cleared = await api.patch(`/v1/contacts/${made.data.id}`, { name: null, phone: null });
    expect(cleared.data).toMatchObject({ name: null, phone: null });
    const refused = [
      await api.post('/v1/contacts', { name: null }),
      await api.patch(`/v1/contacts/${made.data.id}`, { custom_attributes: null }),
      await api.patch('/v1/workspace', { name: null }),
      await world.anyone.post('/v1/auth/login', { email: null, password: null }),
      await world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken, name: null }),
    ];
    for (const { status, error } of refused) expect([status, error.code]).toEqual([400, 'validation_failed']);
  });

  it.each(['{', '{"name":}', "{'name':'x'}", '{"name":"x"} x', '{"name":"x"', 'null x', '\u0000'])(
    'A body that is not JSON is refused with 400 malformed_json: %j',
    async text => {
      const answer = await api.post('/v1/contacts', text, JSON_TYPE);
      expect([answer.status, answer.error.code]).toEqual([400, 'malformed_json']);
    },
  );

  it.each(['[]', 'null', '"name"', '7', 'true', '[{"name":"x"}]'])(
    'A JSON body that is not an object is refused (400): %s',
    async text => {
      const answer = await api.post('/v1/contacts', text, JSON_TYPE);
      expect([answer.status, answer.error.code]).toEqual([400, 'validation_failed']);
    },
  );

  it('A body nested deeper than 32 levels is refused (400)', async () => {
    const nested = (levels: number) => `{"custom_attributes":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
    for (const levels of [40, 20_000]) {
      expect((await api.post('/v1/contacts', nested(levels), JSON_TYPE)).status).toBe(400);
    }
  });

  it('An action needs neither a body nor a Content-Type', async () => {
    const conversation = await world.conversation(await world.visitor(desk));
    expect((await api.post(`/v1/conversations/${conversation.id}/resolve`)).status).toBe(200);
    expect((await api.post(`/v1/conversations/${conversation.id}/reopen`, {})).status).toBe(200);
    const rotated = await api.post(`/v1/channels/${desk.channelId}/rotate-identity-secret`, undefined, {
      'Content-Type': 'text/plain',
    });
    expect(rotated.status).toBe(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/jsonp', 'x'])(
    'A body of type %s is refused (415)',
    async type => {
      const answer = await api.post('/v1/contacts', '{"name":"x"}', { 'Content-Type': type });
      expect([answer.status, answer.error.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  it('A body with an unsupported encoding or charset is refused (415); a supported one is accepted', async () => {
    const send = (headers: Record<string, string>) => api.post('/v1/contacts', '{"name":"x"}', headers);
    expect((await send({ ...JSON_TYPE, 'Content-Encoding': 'lzma' })).status).toBe(415);
    expect((await send({ 'Content-Type': 'application/json; charset=latin-9' })).status).toBe(415);
    expect((await send({ 'Content-Type': 'application/json; charset=utf-8' })).status).toBe(201);
    expect((await send({ 'Content-Type': 'Application/JSON' })).status).toBe(201);
  });

  it('A body is limited to 256 KiB, also after decompression', async () => {
    const padded = (bytes: number) => `{"name":"Carla"${' '.repeat(bytes - 16)}}`;
    const maxBytes = 256 * 1024;
    expect((await api.post('/v1/contacts', padded(maxBytes), JSON_TYPE)).status).toBe(201);
    const over = await api.post('/v1/contacts', padded(maxBytes + 1), JSON_TYPE);
    expect([over.status, over.error.code]).toEqual([413, 'body_too_large']);
    const packed = (bytes: number) =>
      fetch(`${world.app.url}/v1/contacts`, {
        method: 'POST',
        headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip', Authorization: `Bearer ${desk.owner.token}` },
        body: gzipSync(padded(bytes)),
      });
    expect((await packed(maxBytes)).status).toBe(201);
    expect((await packed(50 * maxBytes)).status).toBe(413);
  });
});

describe('Unknown routes', () => {
  it.each([
    ['get', '/v1/nothing'],
    ['get', '/v1'],
    ['get', '/v1/'],
    ['get', '/v2/workspace'],
    ['post', '/'],
    ['post', '/auth/login'],
    ['get', '/healthz/more'],
    ['get', '/v1/channels/a/b/c'],
    ['post', '/v1/workspace'],
    ['put', '/v1/workspace'],
    ['delete', '/v1/workspace'],
    ['patch', '/v1/channels'],
    ['get', '/v1/auth/login'],
  ] as const)('An unknown path or method is 404: %s %s', async (method, path) => {
    for (const caller of [api, world.anyone]) {
      const answer = await caller.call<unknown>(method, path, undefined);
      expect([answer.status, answer.error.code, answer.body.ok]).toEqual([404, 'not_found', false]);
    }
  });

  it('A path that cannot be decoded is 400', async () => {
    expect((await api.get('/v1/contacts/%E0%A4%A')).status).toBe(400);
  });
});

describe('Lists', () => {
  interface Page {
    items: { id: string }[];
    next_cursor: string | null;
  }
  type List = [string, (owner: Caller, key: Caller) => Promise<Answer>];
  const LISTS: List[] = [
    ...collectionsOf(committedReference()).map(({ path, newRow }): List => [path, owner => owner.post(path, newRow())]),
    ['/v1/api-keys', owner => owner.post('/v1/api-keys', { name: unique('Key') })],
    [
      '/v1/workspace/members',
      (_owner, key) => key.post('/v1/workspace/members', { email: `${unique('m')}@example.com`, name: 'M' }),
    ],
  ];

  async function walk(caller: Caller, path: string, between: () => Promise<unknown>): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data } = await caller.get<Page>(`${path}?limit=2${query}`);
      expect(data.items.length).toBeLessThanOrEqual(2);
      ids.push(...data.items.map(({ id }) => id));
      cursor = data.next_cursor;
      if (ids.length < 5) await between();
    } while (cursor !== null);
    return ids;
  }

  it.each(LISTS)('The pages of %s neither lose nor repeat an item while new ones are created', async (path, make) => {
    const freshDesk = await world.desk();
    const key = await world.apiKey(freshDesk);
    const createItem = async () => {
      const made = await make(freshDesk.owner.api, key);
      expect(made.status).toBe(201);
      return made.data as unknown as { id: string };
    };
    for (let count = 0; count < 6; count += 1) await createItem();
    const whole = await freshDesk.owner.api.get<Page>(`${path}?limit=200`);
    expect(whole.data.next_cursor).toBeNull();
    const there = whole.data.items.map(({ id }) => id);
    const seen = await walk(freshDesk.owner.api, path, createItem);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter(id => there.includes(id))).toEqual(there);
  });

  it.each(LISTS)('A page of %s has 50 items, or as many as `limit` says, from 1 to 200', async (path, make) => {
    const freshDesk = await world.desk();
    const key = await world.apiKey(freshDesk);
    await race(52, () => make(freshDesk.owner.api, key));
    const { data } = await freshDesk.owner.api.get<Page>(path);
    expect([data.items.length, data.next_cursor === null]).toEqual([50, false]);
    expect((await freshDesk.owner.api.get<Page>(`${path}?limit=1`)).data.items).toHaveLength(1);
    expect((await freshDesk.owner.api.get<Page>(`${path}?limit=200`)).data.items.length).toBeGreaterThanOrEqual(52);
    for (const limit of ['0', '201', '-1', '1.5', 'all', '', '1&limit=2', '9'.repeat(30)]) {
      expect([limit, (await freshDesk.owner.api.get(`${path}?limit=${limit}`)).status]).toEqual([limit, 400]);
    }
  });

  it.each(LISTS)('The list %s refuses every cursor but its own (400)', async (path, make) => {
    const freshDesk = await world.desk();
    const key = await world.apiKey(freshDesk);
    for (let count = 0; count < 3; count += 1) await make(freshDesk.owner.api, key);
    const foreign = LISTS.find(([other]) => other !== path)?.[0] ?? '';
    const [, makeForeign] = LISTS.find(([other]) => other === foreign) ?? [];
    await makeForeign?.(freshDesk.owner.api, key);
    await makeForeign?.(freshDesk.owner.api, key);
    const other = (await freshDesk.owner.api.get<Page>(`${foreign}?limit=1`)).data.next_cursor;
    const bad = [other ?? '', 'garbage', 'bnVsbA', Buffer.from('["contacts"]').toString('base64url'), '%00', newId()];
    for (const cursor of bad) {
      const answer = await freshDesk.owner.api.get(`${path}?cursor=${cursor}`);
      expect([cursor, answer.status, answer.error.code]).toEqual([
        cursor,
        400,
        cursor === '%00' ? 'validation_failed' : 'cursor_invalid',
      ]);
    }
  });

  it('A list ends with a null cursor, also when it is empty', async () => {
    const freshDesk = await world.desk();
    for (const path of ['/v1/contacts', '/v1/canned-responses', '/v1/conversations', '/v1/api-keys']) {
      expect((await freshDesk.owner.api.get<Page>(path)).data).toEqual({ items: [], next_cursor: null });
    }
  });
});

describe('Response headers', () => {
  it('No answer may be cached, whether success or failure', async () => {
    const successes = [
      await api.get('/v1/workspace'),
      await api.get('/v1/contacts'),
      await world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken }),
    ];
    for (const answer of [...successes, ...(await failures()).map(([, failure]) => failure)]) {
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers).not.toHaveProperty('etag');
    }
  });

  it('An answer names no framework and forbids content sniffing', async () => {
    const { headers } = await api.get('/v1/workspace');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('Pages of every origin may read answers and failures, without credentials', async () => {
    const answers = [await api.get('/v1/workspace'), ...(await failures()).map(([, failure]) => failure)];
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('A CORS preflight allows the methods and headers of the API', async () => {
    const preflight = await fetch(`${world.app.url}/v1/contacts`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'PATCH' },
    });
    expect(preflight.ok).toBe(true);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      expect(preflight.headers.get('access-control-allow-methods')).toContain(method);
    }
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id']) {
      expect(preflight.headers.get('access-control-allow-headers')).toContain(name);
    }
  });

  it('Browsers may list members, but get no CORS header where only backends create them', async () => {
    const key = await world.apiKey(desk);
    const made = await key.post('/v1/workspace/members', { email: `${unique('m')}@example.com`, name: 'M' });
    expect(made.status).toBe(201);
    expect(made.headers).not.toHaveProperty('access-control-allow-origin');
    expect((await api.get('/v1/workspace/members')).headers['access-control-allow-origin']).toBe('*');
  });

  it('A request without a token gets a Bearer challenge, and one with an invalid token gets `invalid_token`', async () => {
    const challenge = async (caller: Caller, headers: Record<string, string> = {}) => {
      const answer = await caller.get('/v1/workspace', headers);
      return [answer.status, answer.error.code, answer.headers['www-authenticate']];
    };
    expect(await challenge(world.anyone)).toEqual([401, 'unauthenticated', 'Bearer']);
    expect(await challenge(world.as('garbage'))).toEqual([401, 'invalid_token', 'Bearer error="invalid_token"']);
    expect((await api.get('/v1/workspace')).headers).not.toHaveProperty('www-authenticate');
    const forbidden = await (await world.colleague(desk)).api.get('/v1/api-keys');
    expect([forbidden.status, forbidden.headers['www-authenticate']]).toEqual([403, undefined]);
  });

  it.each(['Basic eDp5', 'Bearer', 'Bearer ', 'bearer', 'Token x', 'x'])(
    'An Authorization header that is not a bearer token counts as none: %s',
    async Authorization => {
      const answer = await world.anyone.get('/v1/workspace', { Authorization });
      expect([answer.status, answer.error.code]).toEqual([401, 'unauthenticated']);
    },
  );

  it('The scheme of the Authorization header is case-insensitive', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
      const answer = await world.anyone.get('/v1/workspace', { Authorization: `${scheme} ${desk.owner.token}` });
      expect([scheme, answer.status]).toEqual([scheme, 200]);
    }
  });
});
