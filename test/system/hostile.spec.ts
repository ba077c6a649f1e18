import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { apiDocument } from '../../src/api-document.js';
import { newId } from '../../src/kernel/ids.js';
import type { Access } from '../../src/platform/access/access.decorator.js';
import type { ApiDocument } from '../../src/platform/openapi/document.js';
import type { JsonObject } from '../../src/platform/schemas/json.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import { collectionsOf } from '../support/collections.js';
import { eventually } from '../support/eventually.js';
import type { Known } from '../support/hostile.js';
import { hostileBody, hostilePiece, hostileQuery, hostileValue, toJsonText } from '../support/hostile.js';
import type { RawAnswer, RawRequest } from '../support/raw-http.js';
import { closeRawConnections, rawBytes, rawRequest } from '../support/raw-http.js';
import type { RawFrame } from '../support/raw-socket.js';
import { frameBytes, OPCODE, RawSocket } from '../support/raw-socket.js';
import type { Route } from '../support/routes.js';
import { routesOf } from '../support/routes.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { PASSWORD, World } from '../support/world.js';

/** HOSTILE_SEED repeats a run with the same requests and frames; HOSTILE_RUNS sets the runs per route. */
const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS_PER_ROUTE = Number(process.env.HOSTILE_RUNS ?? 20);
/** A character has up to three bytes in UTF-8; frames may have 64 KiB. */
const MAX_CHARS = 20_000;

type CallerName = 'nobody' | 'visitor' | 'agent' | 'scoped' | 'owner' | 'key' | 'refresh';

let world: World;
let document: ApiDocument;
let desk: Desk;
let visitor: Visitor;
let agent: Agent;
let tokens: Record<CallerName, string | null>;
let known: Known;
let rows: Record<string, string[]>;

beforeAll(async () => {
  process.stdout.write(`hostile: HOSTILE_SEED=${SEED}\n`);
  world = await World.start();
  document = apiDocument(world.app.app);
  desk = await world.desk();
  visitor = await world.visitor(desk, { name: 'Vera' });
  agent = await world.colleague(desk);
  const doomed = await world.colleague(desk);
  const leaver = await world.colleague(desk);
  const conversation = await world.conversation(visitor);
  const message = await visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content: 'More' });
  const made: [string, string[]][] = [];
  for (const { name, path, newRow } of collectionsOf(document)) {
    made.push([name, [(await desk.owner.api.post(path, newRow())).data.id]]);
  }
  const spare = await desk.owner.api.post('/v1/api-keys', { name: 'spare' });
  tokens = {
    nobody: null,
    visitor: visitor.token,
    agent: agent.token,
    scoped: (await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] })).token,
    owner: desk.owner.token,
    key: (await world.apiKey(desk)).token,
    refresh: doomed.refreshToken,
  };
  rows = {
    // Not the visitor and its channel: contacts are blocked, merged and erased here, channels disabled and deleted.
    ...Object.fromEntries(made),
    'api-keys': [spare.data.id],
    conversations: [conversation.id],
    messages: [message.data.id, conversation.last_message.id],
    // Not a caller: members are deactivated here.
    members: [leaver.memberId, 'me'],
  };
  const spareContact = (await desk.owner.api.post('/v1/contacts', { name: 'Nora' })).data;
  known = {
    fields: {
      widget_token: fc.constant(desk.widgetToken),
      email: fc.nat().map(number => `user-${number}@example.com`),
      password: fc.constant(PASSWORD),
      old_password: fc.constant(PASSWORD),
      refresh_token: fc.constantFrom(doomed.refreshToken, 'x'),
      conversation_id: fc.constant(conversation.id),
      contact_id: fc.constantFrom(spareContact.id, visitor.contactId),
      channel_id: fc.constant(desk.channelId),
      channel_ids: fc.constantFrom(null, [], [desk.channelId]),
      member_id: fc.constantFrom(agent.memberId, desk.owner.memberId),
      reply_to_id: fc.constantFrom(message.data.id, newId()),
      content_type: fc.constantFrom('text', 'text', 'image', 'event'),
      expected_version: fc.integer({ min: 1, max: 50 }),
      expected_last_seq: fc.constantFrom(0, 2 ** 31, 2 ** 53 - 1),
    },
    ids: [...Object.values(rows).flat(), newId()].filter(id => id !== 'me'),
  };
});

afterAll(async () => {
  closeRawConnections();
  await world.stop();
});

/** Asserts that a response is no 5xx, is in the envelope, and is documented. */
function assertDocumented(method: string, path: string, answer: RawAnswer): void {
  const { status, headers, text } = answer;
  if (status >= 500) throw new Error(`${status}: ${text}`);
  const body = JSON.parse(text) as { ok: boolean; request_id: string };
  expect(body.ok).toBe(status < 400);
  expect(headers['x-request-id']).toBe(body.request_id);
  expect(headers['content-type']).toMatch(/^application\/json/);
  world.contract.assertAnswer(method, path.split('?')[0] ?? path, status, body);
}

/** Checks that the service still works: an ordinary conversation over HTTP and sockets. */
async function assertWorking(): Promise<void> {
  const fresh = await world.desk();
  const guest = await world.visitor(fresh, { name: 'Vera' });
  const inbox = await world.agentSocket(fresh.owner);
  const page = await world.visitorSocket(guest);
  const { id } = await world.conversation(guest, 'Are you there?');
  expect((await inbox.next('message.created')).data.message.content).toBe('Are you there?');
  await fresh.owner.api.post(`/v1/conversations/${id}/take`);
  expect((await fresh.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'Still here.' })).status).toBe(201);
  await page.next('message.created', frame => frame.data.message.content === 'Still here.');
  await Promise.all([inbox.close(), page.close()]);
}

const token = fc.constantFrom<CallerName>('nobody', 'visitor', 'agent', 'scoped', 'owner', 'key', 'refresh');

/** Generates callers: mostly those whom the route allows, sometimes any. */
function callers(access: Access | undefined): fc.Arbitrary<CallerName> {
  if (access?.public !== false) return token;
  const allowed = access.kinds.flatMap<CallerName>(kind =>
    kind === 'agent' ? ['owner', 'agent', 'scoped'] : kind === 'api_key' ? ['key'] : ['visitor'],
  );
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...allowed) }, { weight: 1, arbitrary: token });
}

const MALFORMED = [
  '',
  ' ',
  '{',
  '{"a":',
  '{"a":1}{"b":2}',
  "{'a':1}",
  '{"a":1,}',
  '\ufeff{}',
  '"text"',
  'null',
  'true',
  '1',
  '[]',
  '[{}]',
  'NaN',
  '{"a":NaN}',
  '{"a":"\t"}',
  '{"a":"\\ud83d"}',
  '{"a":"\\x"}',
  'a=1&b=2',
  '<xml/>',
  '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
  `{"a":"${'x'.repeat(300_000)}"}`,
  '['.repeat(100_000),
].map(text => Buffer.from(text));
const BYTES = [Buffer.from([0xff, 0xfe, 0x7b, 0x00]), Buffer.from([0x7b, 0xc0, 0xaf, 0x7d]), Buffer.alloc(1_000)];
const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20), { level: 9 });

type Headers = RawRequest['headers'];

interface EncodedBody {
  body: Buffer | null;
  headers: Headers;
  chunked: boolean;
}

/** Generates encoded bodies: mostly JSON, else of another type, compressed, malformed or truncated. */
function encodedBodies(value: fc.Arbitrary<unknown>): fc.Arbitrary<EncodedBody> {
  const text = value.map(body => Buffer.from(toJsonText(body) ?? ''));
  const plain = fc.tuple(text, fc.boolean()).map(([body, chunked]) => ({
    body,
    headers: { 'Content-Type': 'application/json' },
    chunked,
  }));
  const types = fc.constantFrom(
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json; charset="',
    'application/json;;;',
    'APPLICATION/JSON ; Charset=UTF-8',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    '\u00ff/\u00ff',
    '/',
  );
  const encodings = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'identity', 'gzip, gzip', 'x', '');
  return fc.oneof(
    { weight: 30, arbitrary: plain },
    { weight: 2, arbitrary: fc.constant({ body: null, headers: {}, chunked: false }) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...MALFORMED, ...BYTES)
        .map(body => ({ body, headers: { 'Content-Type': 'application/json' }, chunked: false })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(text, types)
        .map(([body, type]) => ({ body, headers: { 'Content-Type': type }, chunked: false })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.oneof(text, text.map(gzipSync), fc.constant(BOMB), fc.constant(BOMB.subarray(0, 500))), encodings)
        .map(([body, encoding]) => ({
          body,
          headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding },
          chunked: false,
        })),
    },
  );
}

const hostileHeaders: fc.Arbitrary<Headers> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.dictionary(
      fc.constantFrom(
        'X-Request-Id',
        'Idempotency-Key',
        'Origin',
        'X-Forwarded-For',
        'X-Forwarded-Proto',
        'X-HTTP-Method-Override',
        'Accept',
        'Accept-Encoding',
        'If-None-Match',
        'Range',
        'Cookie',
        'Referer',
        'User-Agent',
        'Access-Control-Request-Method',
      ),
      fc.constantFrom<string | string[]>(
        '',
        'x',
        'null',
        '\u00ff\u00fe',
        'a'.repeat(300),
        'a'.repeat(5_000),
        'GET',
        'http',
        '127.0.0.1, ::1, unknown',
        'https://shop.example',
        '*/*;q=NaN',
        'bytes=0-0,-1',
        '"',
        "'; DROP TABLE event; --",
        ['one', 'two'],
      ),
      { maxKeys: 4 },
    ),
  },
);

/** Generates paths with existing ids, unknown ids or anything else in place of the parameters. */
function paths(path: string): fc.Arbitrary<string> {
  const segments = path.split('/').map((segment, index, all) => {
    if (!segment.startsWith('{')) return fc.constant(segment);
    const real = rows[all[index - 1] ?? ''] ?? [];
    return fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...real, newId()) },
      { weight: 1, arbitrary: hostilePiece.filter(piece => piece !== '' && piece !== '/') },
    );
  });
  return fc.tuple(...segments).map(parts => parts.join('/'));
}

/** Generates hostile requests to a route. */
function hostileRequests(route: Route): fc.Arbitrary<RawRequest & { caller: CallerName }> {
  const operation = document.paths[route.path]?.[route.method];
  const schema = (operation?.requestBody as JsonObject | undefined)?.content as JsonObject | undefined;
  const bodySchema = ((schema?.['application/json'] as JsonObject | undefined)?.schema ?? {}) as JsonObject;
  const names = (operation?.parameters ?? []).filter(parameter => parameter.in === 'query').map(({ name }) => name);
  const body = hostileBody(bodySchema, document.components.schemas, known);
  const noBody = fc.constant<EncodedBody>({ body: null, headers: {}, chunked: false });
  return fc
    .record({
      caller: callers(route.access),
      path: paths(route.path),
      query: hostileQuery(names),
      dice: fc.integer({ min: 0, max: 3 }),
      encoded:
        route.method === 'get' ? fc.oneof({ weight: 9, arbitrary: noBody }, encodedBodies(body)) : encodedBodies(body),
      headers: hostileHeaders,
    })
    .map(({ caller, path, query, dice, encoded: { body, headers: bodyHeaders, chunked }, headers }) => {
      const withQuery = route.method === 'get' || dice === 0;
      const authorization: Headers = tokens[caller] === null ? {} : { Authorization: `Bearer ${tokens[caller]}` };
      return {
        caller,
        method: route.method.toUpperCase(),
        path: withQuery && query !== '' ? `${path}?${query}` : path,
        headers: { ...headers, ...bodyHeaders, ...authorization },
        body,
        chunked,
      };
    });
}

/** Sends `numRuns` requests. @throws an error with the first request whose response is not as documented */
async function assertWithstands(name: string, requests: fc.Arbitrary<RawRequest>, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(requests, async request => {
    assertDocumented(request.method, request.path, await rawRequest(world.app.url, request));
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, {
    seed: SEED,
    numRuns,
    endOnFailure: true,
  });
  if (!failed) return;
  const request = counterexample?.[0];
  const body = request?.body?.subarray(0, 1_000).toString() ?? null;
  const description = JSON.stringify({ ...request, body }).replace(/(.{1,8}?)\1{10,}/g, '$1…');
  throw new Error(`${name}: ${String(errorInstance)}\n${description}`, { cause: errorInstance });
}

describe('Hostile requests', () => {
  it('Every hostile request to a route is answered in the envelope with a documented code, never with 500', async () => {
    // DELETE routes come last: the others need the rows.
    const routes = routesOf(world.app.app).sort(
      (a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'),
    );
    for (const route of routes) await assertWithstands(route.name, hostileRequests(route), RUNS_PER_ROUTE);
  }, 600_000);

  it('Every hostile request to an unknown path is answered in the envelope, for any method', async () => {
    const segment = fc.oneof(hostilePiece, fc.constantFrom('v1', 'V1', 'widget', 'auth', 'login', 'conversations', ''));
    const nowhere = fc
      .record({
        method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'MKCALENDAR', 'SEARCH', 'PURGE'),
        segments: fc.array(segment, { minLength: 1, maxLength: 4 }),
        caller: token,
        headers: hostileHeaders,
        encoded: encodedBodies(hostileValue),
      })
      .map(({ method, segments, caller, headers, encoded: { body, headers: bodyHeaders, chunked } }) => ({
        method,
        path: `/v1/none/${segments.join('/')}`,
        headers: { ...headers, ...bodyHeaders, Authorization: `Bearer ${tokens[caller]}` },
        body,
        chunked,
      }));
    await assertWithstands('an unknown path', nowhere, RUNS_PER_ROUTE * 5);
  }, 120_000);

  it('Free-form objects keep keys such as `constructor`, but `__proto__` is refused', async () => {
    const attributes = {
      constructor: 'Williams',
      prototype: { model: 2, constructor: null },
      toString: ['a', { valueOf: 1 }],
      hasOwnProperty: true,
      then: 'what',
      length: -1,
    };
    const kept = await desk.owner.api.post('/v1/contacts', { custom_attributes: attributes, constructor: 'ignored' });
    expect([kept.status, kept.data.custom_attributes]).toEqual([201, attributes]);
    const started = await visitor.api.post('/v1/widget/conversations', {
      message: { content: 'x', metadata: attributes },
    });
    expect(started.data.message.metadata).toEqual(attributes);
    for (const hostile of ['{"__proto__":{"polluted":1}}', '{"a":[{"__proto__":1}]}']) {
      const refused = await desk.owner.api.post('/v1/contacts', { custom_attributes: JSON.parse(hostile) as object });
      expect([refused.status, refused.error.details?.[0]?.field]).toEqual([400, 'custom_attributes']);
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it('A contact with attributes named like Object’s methods can be changed', async () => {
    const { data: contact } = await desk.owner.api.post('/v1/contacts', { custom_attributes: { hasOwnProperty: 1 } });
    const itself = `/v1/contacts/${contact.id}`;
    expect((await desk.owner.api.patch(itself, { name: 'Known' })).status).toBe(200);
    const other = { hasOwnProperty: 2, isPrototypeOf: 'what', equals: [] };
    const changed = await desk.owner.api.patch(itself, { custom_attributes: other });
    expect([changed.status, changed.data.name, changed.data.custom_attributes]).toEqual([200, 'Known', other]);
    expect((await desk.owner.api.get(itself)).data.custom_attributes).toEqual(other);
  });

  it('An ordinary conversation works after all hostile requests', assertWorking);
});

describe('Malformed HTTP', () => {
  const crlf = (...lines: string[]) => lines.join('\r\n');
  const LOGIN = ['POST /v1/auth/login HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
  const MALFORMED_REQUESTS: [string, string | Buffer][] = [
    ['plain text', 'hello, is anybody there?\r\n\r\n'],
    ['random bytes', Buffer.from(Array.from({ length: 500 }, (_nothing, index) => (index * 89 + 7) % 256))],
    ['the start of TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', crlf('GET /v1/workspace HTTP/9.9', 'Host: x', '', '')],
    ['an unknown method', crlf('BREW /v1/workspace HTTP/1.1', 'Host: x', '', '')],
    ['a blank in the path', crlf('GET /v1/work space HTTP/1.1', 'Host: x', '', '')],
    ['a path of bytes', Buffer.from('GET /v1/\u00ff\u00fe HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1')],
    ['a null in a header', crlf('GET /v1/workspace HTTP/1.1', 'Host: x', 'X-A: \0', '', '')],
    ['a header without a colon', crlf('GET /v1/workspace HTTP/1.1', 'Host: x', 'nonsense', '', '')],
    ['headers past the limit', crlf('GET /v1/workspace HTTP/1.1', 'Host: x', `X-A: ${'a'.repeat(20_000)}`, '', '')],
    ['a path past the limit', crlf(`GET /v1/${'a'.repeat(20_000)} HTTP/1.1`, 'Host: x', '', '')],
    ['two Content-Lengths', crlf(...LOGIN, 'Content-Length: 2', 'Content-Length: 3', '', '{}')],
    ['a Content-Length and chunks', crlf(...LOGIN, 'Content-Length: 2', 'Transfer-Encoding: chunked', '', '0', '', '')],
    ['a Content-Length that is not a number', crlf(...LOGIN, 'Content-Length: two', '', '{}')],
    ['a negative Content-Length', crlf(...LOGIN, 'Content-Length: -2', '', '{}')],
    ['an unknown Transfer-Encoding', crlf(...LOGIN, 'Transfer-Encoding: cow', '', '{}')],
    ['a chunk with an invalid size', crlf(...LOGIN, 'Transfer-Encoding: chunked', '', 'zz', '{}', '', '')],
    ['a chunk longer than its size', crlf(...LOGIN, 'Transfer-Encoding: chunked', '', '1', '{"a":1}', '0', '', '')],
  ];

  it('Malformed HTTP is refused in the envelope (400 malformed_request)', async () => {
    for (const [name, bytes] of MALFORMED_REQUESTS) {
      const text = await rawBytes(world.app.url, bytes);
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const answer = JSON.parse(body) as { ok: boolean; request_id: string; error: { code: string } };
      expect([name, head.split('\r\n')[0]]).toEqual([name, 'HTTP/1.1 400 Bad Request']);
      expect(answer).toMatchObject({ ok: false, error: { code: 'malformed_request' } });
      expect(head.toLowerCase()).toContain(`x-request-id: ${answer.request_id}`);
    }
  });

  it('An unknown Expect header is ignored', async () => {
    const request = crlf('GET /healthz HTTP/1.1', 'Host: x', 'Expect: wonders', 'Connection: close', '', '');
    expect(await rawBytes(world.app.url, request)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('A smuggled second request is never answered', async () => {
    const hidden = crlf('GET /healthz HTTP/1.1', 'Host: x', '', '');
    const request = crlf(...LOGIN, 'Content-Length: 4', 'Transfer-Encoding: chunked', '', '0', '', hidden);
    expect((await rawBytes(world.app.url, request)).match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('Requests with incomplete bodies do not delay others', async () => {
    const { hostname, port } = new URL(world.app.url);
    const halves = Array.from({ length: 20 }, () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => undefined);
      socket.write(crlf(...LOGIN, 'Content-Length: 100', '', '{"email":'));
      return socket;
    });
    expect((await world.anyone.post('/v1/auth/login', {})).status).toBe(400);
    for (const socket of halves) socket.resetAndDestroy();
    await assertWorking();
  });
});

describe('Hostile frames', () => {
  const sockets: RawSocket[] = [];
  const PATHS = { visitor: () => `/ws/visitor?token=${visitor.token}`, agent: () => `/ws/agent?token=${agent.token}` };

  async function open(route: keyof typeof PATHS): Promise<RawSocket> {
    const socket = await RawSocket.open(world.app.wsUrl, PATHS[route]());
    sockets.push(socket);
    return socket;
  }

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const text = (payload: Buffer | string, more: Partial<RawFrame> = {}): RawFrame => ({
    opcode: OPCODE.text,
    payload,
    ...more,
  });
  const { continuation, ping, pong } = OPCODE;
  const PING = '{"type":"ping"}';
  const head = Buffer.from([0x81]);

  describe.each(['visitor', 'agent'] as const)('Hostile frames at /ws/%s', route => {
    it(`Unusual but legal frames are handled on /ws/${route}`, async () => {
      const socket = await open(route);
      const halves = [text('{"type":', { fin: false }), { opcode: ping }, { opcode: continuation, payload: '"ping"}' }];
      const crumbs = [...PING].map((payload, index) => ({
        opcode: index === 0 ? OPCODE.text : continuation,
        payload,
        fin: index === PING.length - 1,
      }));
      const empties = [
        text(PING, { fin: false }),
        ...Array.from({ length: 50 }, () => ({ opcode: continuation, fin: false })),
      ];
      socket.write(...halves, text(PING, { claims: BigInt(PING.length) }), ...crumbs, ...empties, {
        opcode: continuation,
      });
      socket.write({ opcode: pong, payload: 'nobody asked' });
      await socket.until(() => socket.texts.filter(({ type }) => type === 'pong').length === 4, 'four pongs');
      expect(await socket.fate()).toBe('open');
    });

    it(`A frame sent byte by byte is handled on /ws/${route}`, async () => {
      const socket = await open(route);
      for (const byte of frameBytes(text(PING))) {
        socket.write(Buffer.from([byte]));
        await new Promise(resolve => setImmediate(resolve));
      }
      await socket.until(() => socket.texts.some(({ type }) => type === 'pong'), 'pong');
    });

    it.each<[string, () => RawFrame]>([
      ['pings', () => ({ opcode: ping, payload: 'x'.repeat(125) })],
      ['pongs', () => ({ opcode: pong, payload: 'x'.repeat(125) })],
      ['messages', () => text(PING)],
    ])(`A flood of %s closes a socket of /ws/${route} with 4008`, async (_name, createFrame) => {
      const socket = await open(route);
      socket.write(...Array.from({ length: 2_000 }, createFrame));
      await socket.until(() => socket.closeCode !== null, 'a close');
      expect(socket.closeCode).toBe(4008);
      expect(socket.pongs).toBeLessThanOrEqual(41);
    });

    it(`A socket of /ws/${route} that ends within a frame or is reset is removed from the hub`, async () => {
      const before = hub().connections.size;
      const half = await open(route);
      half.write(Buffer.concat([head, Buffer.from([0x80 | 100]), Buffer.from('abcd{"ty')]));
      half.socket.end();
      (await open(route)).socket.resetAndDestroy();
      await eventually(() => (hub().connections.size === before ? true : undefined));
    });

    it(`Valid frames with hostile content are answered with error frames on /ws/${route}`, async () => {
      const contents = fc.oneof(
        { weight: 3, arbitrary: hostileBody(TYPING, {}, known) },
        {
          weight: 2,
          arbitrary: fc.record({ type: TYPES, data: hostileValue, payload: hostileValue }, { requiredKeys: ['type'] }),
        },
        { weight: 1, arbitrary: fc.record({ type: hostileValue }) },
        { weight: 1, arbitrary: hostileValue },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(contents.map(toJsonText), { minLength: 1, maxLength: 8 }), async payloads => {
          const socket = await open(route);
          socket.write(...payloads.map(payload => text((payload ?? 'undefined').slice(0, MAX_CHARS))));
          const fate = await socket.fate();
          expect(['open', 4501]).toContain(fate);
          const codes = socket.texts.filter(({ type }) => type === 'error').map(({ error }) => error?.code);
          expect(codes.filter(code => !ERROR_CODES.includes(code ?? ''))).toEqual([]);
          socket.destroy();
        }),
        { seed: SEED, numRuns: 30, endOnFailure: true },
      );
    });

    it(`Random bytes on /ws/${route} end in a code of the protocol or are handled`, async () => {
      const noise = fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 300 }).map(bytes => Buffer.from(bytes)),
        fc
          .record({
            opcode: fc.integer({ min: 0, max: 15 }),
            fin: fc.boolean(),
            reserved: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 7 })),
            masked: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
            payload: fc.oneof(fc.constantFrom(PING, '', '{', 'x'.repeat(126)), fc.string({ unit: 'binary' })),
          })
          .map(frameBytes),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(noise, { minLength: 1, maxLength: 6 }), async frames => {
          const socket = await open(route);
          socket.write(...frames);
          socket.socket.end();
          await socket.until(() => socket.over, 'the end');
          expect([null, 1000, 1002, 1005, 1007, 1009, 4008, 4501, ...legalEchoes(socket)]).toContain(socket.closeCode);
        }),
        { seed: SEED, numRuns: 30, endOnFailure: true },
      );
    });
  });

  it('After all hostile frames, no socket is left and an ordinary conversation works', async () => {
    await eventually(() => (hub().connections.size === 0 ? true : undefined));
    await assertWorking();
  });

  const hub = () => world.app.app.get(SocketHub);
});

const TYPES = fc.constantFrom(
  'ping',
  'typing',
  'typing.stop',
  'presence.heartbeat',
  'message.created',
  'connected',
  'auth',
);

/** The schema of the typing frames. */
const TYPING: JsonObject = {
  required: ['type', 'conversation_id'],
  properties: {
    type: { type: 'string', enum: ['typing', 'typing.stop'] },
    conversation_id: { type: 'string', format: 'uuid' },
    private: { type: 'boolean' },
  },
};

/** The error codes that hostile frames may be answered with. */
const ERROR_CODES = [
  'frame_malformed',
  'frame_unknown',
  'frame_too_many_values',
  'not_found',
  'not_assigned',
  // For `auth` with an invalid token or one of another kind.
  'validation_failed',
  'invalid_token',
  'agent_token_required',
  'visitor_token_required',
];

/** A random close frame that is valid is answered with its own code. */
function legalEchoes({ closeCode }: RawSocket): number[] {
  return closeCode !== null && closeCode >= 3000 && closeCode < 5000 ? [closeCode] : [];
}
