import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { apiDocument } from '../../src/api-document.js';
import { newId } from '../../src/kernel/ids.js';
import type { Access } from '../../src/platform/access/access.decorator.js';
import type { JsonObject } from '../../src/platform/openapi/json.js';
import { hostileBody, hostilePiece, hostileQuery, hostileValue, toJsonText } from '../support/hostile.js';
import type { RawAnswer, RawRequest } from '../support/raw-http.js';
import { closeRawConnections, rawBytes, rawRequest } from '../support/raw-http.js';
import type { Route } from '../support/routes.js';
import { routesOf } from '../support/routes.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

/** The same seed throws the same things: HOSTILE_SEED=… repeats a run, HOSTILE_RUNS=… makes it longer. */
const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS_PER_ROUTE = Number(process.env.HOSTILE_RUNS ?? 12);

type Who = 'nobody' | 'visitor' | 'agent' | 'scoped' | 'owner' | 'key' | 'refresh';

let world: World;
let desk: Desk;
let visitor: Visitor;
let agent: Agent;
let tokens: Record<Who, string | null>;
let ids: string[];
let rows: Record<string, string[]>;

beforeAll(async () => {
  process.stdout.write(`hostile: HOSTILE_SEED=${SEED}\n`);
  world = await World.start();
  desk = await world.desk();
  visitor = await world.visitor(desk, { name: 'Vera' });
  agent = await world.colleague(desk);
  const victim = await world.channel(desk);
  const doomed = await world.colleague(desk);
  const conversation = await world.conversation(visitor);
  const message = await visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content: 'More' });
  const canned = await desk.owner.api.post('/v1/canned-responses', { short_code: 'hi', title: 'Hi', content: 'Hi' });
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
    'api-keys': [spare.data.id],
    'canned-responses': [canned.data.id],
    // not the one through which the visitor has come: channels are closed and deleted here
    channels: [victim.id],
    contacts: [visitor.contactId],
    conversations: [conversation.id],
    messages: [message.data.id, conversation.last_message.id],
    members: [agent.memberId, 'me'],
  };
  ids = [...Object.values(rows).flat(), desk.channelId, newId()].filter(id => id !== 'me');
});

afterAll(async () => {
  closeRawConnections();
  console.log(stats);
  await world.stop();
});

const stats: Record<string, number> = {};
/** Every answer, whatever was asked: not our fault, in the envelope, and as the reference has it. */
function assertCivil(method: string, path: string, answer: RawAnswer): void {
  const { status, headers, text } = answer;
  stats[`${method} ${status}`] = (stats[`${method} ${status}`] ?? 0) + 1;
  if (status >= 500) throw new Error(`${status}: ${text}`);
  const body = JSON.parse(text) as { ok: boolean; request_id: string };
  expect(body.ok).toBe(status < 400);
  expect(headers['x-request-id']).toBe(body.request_id);
  expect(headers['content-type']).toMatch(/^application\/json/);
  world.contract.assertAnswer(method, path.split('?')[0] ?? path, status, body);
}

const SERVICE = 'the service still serves';

/** An ordinary conversation, over HTTP and sockets. */
async function converse(): Promise<void> {
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

const token = fc.constantFrom<Who>('nobody', 'visitor', 'agent', 'scoped', 'owner', 'key', 'refresh');

/** Who may call the route, and anybody. */
function callers(access: Access | undefined): fc.Arbitrary<Who> {
  if (access?.public !== false) return token;
  const welcome = access.kinds.flatMap<Who>(kind =>
    kind === 'agent' ? ['owner', 'agent', 'scoped'] : kind === 'api_key' ? ['key'] : ['visitor'],
  );
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...welcome) }, { weight: 1, arbitrary: token });
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

interface Sent {
  body: Buffer | null;
  headers: Headers;
  chunked: boolean;
}

/** A body on its way: as JSON, mostly; else under another name, packed, broken, cut. */
function sent(value: fc.Arbitrary<unknown>): fc.Arbitrary<Sent> {
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
  const packed = fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'identity', 'gzip, gzip', 'x', '');
  return fc.oneof(
    { weight: 12, arbitrary: plain },
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
        .tuple(fc.oneof(text, text.map(gzipSync), fc.constant(BOMB), fc.constant(BOMB.subarray(0, 500))), packed)
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

/** The path with rows that are there, or with anything else, where ids belong. */
function paths(path: string): fc.Arbitrary<string> {
  const segments = path.split('/').map((segment, index, all) => {
    if (!segment.startsWith('{')) return fc.constant(segment);
    const real = rows[all[index - 1] ?? ''] ?? [];
    return fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...real, newId()) },
      { weight: 1, arbitrary: hostilePiece.filter(piece => piece !== '') },
    );
  });
  return fc.tuple(...segments).map(parts => parts.join('/'));
}

/** Everything that may be thrown at one route. */
function attacks(route: Route): fc.Arbitrary<RawRequest & { who: Who }> {
  const document = apiDocument(world.app.app);
  const operation = document.paths[route.path]?.[route.method];
  const schema = (operation?.requestBody as JsonObject | undefined)?.content as JsonObject | undefined;
  const shape = ((schema?.['application/json'] as JsonObject | undefined)?.schema ?? {}) as JsonObject;
  const names = (operation?.parameters ?? []).filter(parameter => parameter.in === 'query').map(({ name }) => name);
  const body = hostileBody(shape, document.components.schemas, ids);
  const noBody = fc.constant<Sent>({ body: null, headers: {}, chunked: false });
  return fc
    .record({
      who: callers(route.access),
      path: paths(route.path),
      query: hostileQuery(names),
      asks: fc.integer({ min: 0, max: 3 }),
      sent: route.method === 'get' ? fc.oneof({ weight: 9, arbitrary: noBody }, sent(body)) : sent(body),
      headers: hostileHeaders,
    })
    .map(({ who, path, query, asks, sent: { body, headers: own, chunked }, headers }) => {
      const asked = route.method === 'get' || asks === 0;
      const authorization: Headers = tokens[who] === null ? {} : { Authorization: `Bearer ${tokens[who]}` };
      return {
        who,
        method: route.method.toUpperCase(),
        path: asked && query !== '' ? `${path}?${query}` : path,
        headers: { ...headers, ...own, ...authorization },
        body,
        chunked,
      };
    });
}

/** Throws `numRuns` requests; says, for the first that is not answered well, what it was. */
async function withstands(what: string, requests: fc.Arbitrary<RawRequest>, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(requests, async asked => {
    assertCivil(asked.method, asked.path, await rawRequest(world.app.url, asked));
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, {
    seed: SEED,
    numRuns,
    endOnFailure: true,
  });
  if (!failed) return;
  const asked = counterexample?.[0];
  const body = asked?.body?.subarray(0, 1_000).toString() ?? null;
  const told = JSON.stringify({ ...asked, body }).replace(/(.{1,8}?)\1{10,}/g, '$1…');
  throw new Error(`${what}: ${String(errorInstance)}\n${told}`, { cause: errorInstance });
}

describe('whatever is thrown at a route', () => {
  it('is answered in the envelope, by a documented code, and never with 500', async () => {
    for (const route of routesOf(world.app.app)) await withstands(route.name, attacks(route), RUNS_PER_ROUTE);
  }, 1_200_000);
});
