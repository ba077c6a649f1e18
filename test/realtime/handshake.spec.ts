import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { drain } from '../../src/platform/health/drain.js';
import { HandshakeStatesRepository } from '../../src/modules/realtime/handshake-states.repository.js';
import { LifecycleService } from '../../src/platform/lifecycle/lifecycle.service.js';
import { eventually } from '../support/eventually.js';
import { requestUpgrade } from '../support/raw-socket.js';
import { Refused, TestSocket } from '../support/socket.js';
import { jwt, readJwt } from '../support/tokens.js';
import type { UpgradeAnswer } from '../support/upgrade.js';
import { upgrade } from '../support/upgrade.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const ROUTES = ['visitor', 'agent'] as const;
type Route = (typeof ROUTES)[number];

/** @returns the refusal of a handshake; throws if the handshake succeeded */
async function refusal(attempt: Promise<TestSocket>): Promise<Refused> {
  const outcome: unknown = await attempt.catch((error: unknown) => error);
  if (!(outcome instanceof Refused)) throw new Error(`not refused: ${String(outcome)}`);
  return outcome;
}

/** Asserts that a refusal is an HTTP response with the usual error envelope. */
function expectEnvelope(answer: Refused | UpgradeAnswer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status, code });
  expect(answer.body).toEqual({
    ok: false,
    request_id: answer.headers['x-request-id'],
    timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/),
    error: { code, message: expect.stringMatching(/\w/) },
  });
  expect(answer.body.request_id).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toBe('no-store');
}

describe('Opening a socket', () => {
  let world: World;
  let desk: Desk;
  let visitor: Visitor;
  let conversation: { id: string };
  beforeAll(async () => {
    world = await World.start();
    desk = await world.desk();
    visitor = await world.visitor(desk);
    conversation = await world.conversation(visitor);
  });
  afterAll(() => world.stop());

  const tokenOf = (route: Route): string => (route === 'visitor' ? visitor.token : desk.owner.token);

  /** The route's valid token with changed claims or header, signed with the service's secret by default. */
  function forgeToken(route: Route, change: { claims?: object; header?: object; secret?: string }): string {
    const { header, claims } = readJwt(tokenOf(route));
    const secret = change.secret ?? world.app.config.jwtSecrets[0]?.secret ?? '';
    return jwt({ ...claims, ...change.claims }, secret, { ...header, ...change.header });
  }

  const nowInSeconds = () => Math.floor(Date.now() / 1000);
  const wrongKindError = (route: Route) => `${route}_token_required`;
  // A missing contact and revoked tokens look alike to the widget: in both cases it creates a new session.
  const missingSession = (route: Route) => (route === 'visitor' ? 'token_revoked' : 'invalid_token');
  type Token = string | null;
  const BAD_TOKENS: [string, (route: Route) => Token | Promise<Token>, string | ((route: Route) => string)][] = [
    ['no token', () => null, 'unauthenticated'],
    ['an empty token', () => '', 'unauthenticated'],
    ['garbage', () => 'garbage', 'invalid_token'],
    ['garbage in three parts', () => 'a.b.c', 'invalid_token'],
    ['an expired token', route => forgeToken(route, { claims: { exp: nowInSeconds() - 1 } }), 'token_expired'],
    ['the other route’s token', route => tokenOf(route === 'agent' ? 'visitor' : 'agent'), wrongKindError],
    ['a refresh token', () => desk.owner.refreshToken, wrongKindError],
    ['an API key', async () => (await world.apiKey(desk)).token, wrongKindError],
    ['an unknown API key', () => `svc_sk_${'a'.repeat(32)}`, wrongKindError],
    ['a token with alg none', route => forgeToken(route, { header: { alg: 'none' } }), 'invalid_token'],
    ['a token with alg HS512', route => forgeToken(route, { header: { alg: 'HS512' } }), 'invalid_token'],
    ['a token of another audience', route => forgeToken(route, { claims: { aud: 'elsewhere' } }), 'invalid_token'],
    ['a token of another issuer', route => forgeToken(route, { claims: { iss: 'elsewhere' } }), 'invalid_token'],
    ['a token signed with another secret', route => forgeToken(route, { secret: 'another secret' }), 'invalid_token'],
    ['an unknown key id', route => forgeToken(route, { header: { kid: 'unknown' } }), 'invalid_token'],
    ['an unknown session', route => forgeToken(route, { claims: { sid: newId(), sub: newId() } }), missingSession],
  ];

  describe.each(ROUTES)('The %s route', route => {
    it.each(BAD_TOKENS)(`A handshake on the ${route} route with %s is refused (401)`, async (_name, make, code) => {
      const token = await make(route);
      const refused = await refusal(world.socket(route, token === null ? {} : { token }));
      expectEnvelope(refused, 401, typeof code === 'string' ? code : code(route));
      expect(refused.headers['www-authenticate']).toMatch(token ? /^Bearer error="invalid_token"$/ : /^Bearer$/);
    });

    it(`A refusal on the ${route} route echoes a valid X-Request-Id and replaces an invalid one`, async () => {
      const valid = await refusal(world.socket(route, {}, { 'X-Request-Id': 'my-request.0001' }));
      expectEnvelope(valid, 401, 'unauthenticated');
      expect(valid.body.request_id).toBe('my-request.0001');
      const invalid = await refusal(world.socket(route, {}, { 'X-Request-Id': 'no good' }));
      expectEnvelope(invalid, 401, 'unauthenticated');
    });

    it(`The ${route} route ignores a token in the Authorization header (401)`, async () => {
      const refused = await refusal(world.socket(route, {}, { Authorization: `Bearer ${tokenOf(route)}` }));
      expectEnvelope(refused, 401, 'unauthenticated');
    });

    it.each([
      ['an invalid key', { 'Sec-WebSocket-Key': 'x' }],
      ['no key', { 'Sec-WebSocket-Key': undefined }],
      ['version 12', { 'Sec-WebSocket-Version': '12' }],
      ['no version', { 'Sec-WebSocket-Version': undefined }],
      ['an invalid list of protocols', { 'Sec-WebSocket-Protocol': ',' }],
    ])(`A malformed upgrade on the ${route} route is refused (400): %s`, async (_name, headers) => {
      const answer = await upgrade(`${world.app.wsUrl}/ws/${route}?token=${tokenOf(route)}`, { headers });
      expectEnvelope(answer, 400, 'malformed_request');
    });

    it(`An upgrade with POST on the ${route} route is refused (400)`, async () => {
      const url = `${world.app.wsUrl}/ws/${route}?token=${tokenOf(route)}`;
      expectEnvelope(await upgrade(url, { method: 'POST' }), 400, 'malformed_request');
    });

    it(`A GET without an upgrade on the ${route} route is 404`, async () => {
      expect((await world.anyone.get(`/ws/${route}?token=${tokenOf(route)}`)).status).toBe(404);
    });
  });

  it.each(['/', '/ws', '/ws/', '/ws/visitor/', '/ws/Agent', '/ws/other', '/v1/ws/visitor', '/v1/auth/me'])(
    'An upgrade of %s is refused (404)',
    async path => {
      const answer = await upgrade(`${world.app.wsUrl}${path}?token=${desk.owner.token}`);
      expectEnvelope(answer, 404, 'not_found');
    },
  );

  describe('The first frame', () => {
    it('The connected frame has an agent’s room, the keepalive intervals and the server time', async () => {
      const { frames } = await world.agentSocket(desk.owner);
      expect(frames[0]).toMatchObject({
        type: 'connected',
        data: { room: 'inbox', ping_interval_ms: 25_000, pong_wait_ms: 60_000 },
      });
      expect(frames[0]?.data.server_time).toMatch(/\.\d{6}Z$/);
    });

    it.each([
      ['inbox', 'inbox'],
      ['', 'inbox'],
    ])('An agent’s socket with room=%s is in the %s', async (room, expected) => {
      const { frames } = await world.agentSocket(desk.owner, { room });
      expect(frames[0]?.data.room).toBe(expected);
    });

    it('The connected frame of a conversation’s socket has the conversation’s id as its room', async () => {
      const agent = await world.agentSocket(desk.owner, { room: conversation.id });
      const page = await world.visitorSocket(visitor, { conv: conversation.id });
      expect([agent.frames[0]?.data.room, page.frames[0]?.data.room]).toEqual([conversation.id, conversation.id]);
    });

    it('A visitor’s socket with no conv or an empty one is in the contact’s room', async () => {
      const rooms = [await world.visitorSocket(visitor), await world.visitorSocket(visitor, { conv: '' })];
      expect(rooms.map(({ frames }) => frames[0]?.data.room)).toEqual(['contact', 'contact']);
    });

    it('Each connection has a different connection_id', async () => {
      const sockets = await Promise.all([1, 2, 3].map(() => world.agentSocket(desk.owner)));
      expect(new Set(sockets.map(({ frames }) => frames[0]?.data.connection_id)).size).toBe(3);
    });
  });

  describe('A room that the caller may not see', () => {
    let stranger: Desk;
    let scoped: Agent;
    let foreign: { id: string };
    let neighbour: { id: string };
    beforeAll(async () => {
      stranger = await world.desk();
      foreign = await world.conversation(await world.visitor(stranger));
      neighbour = await world.conversation(await world.visitor(desk));
      const elsewhere = await world.channel(desk);
      scoped = await world.colleague(desk, { channel_ids: [elsewhere.id] });
    });

    it.each(['nonsense', 'INBOX', "' OR 1=1 --", '../inbox', '*', '00000000-0000-0000-0000-000000000000'])(
      'A socket cannot join a room that does not exist (404): %s',
      async room => {
        expectEnvelope(await refusal(world.agentSocket(desk.owner, { room })), 404, 'not_found');
        expectEnvelope(await refusal(world.visitorSocket(visitor, { conv: room })), 404, 'not_found');
      },
    );

    it('A socket cannot join another workspace’s conversation (404)', async () => {
      expectEnvelope(await refusal(world.agentSocket(desk.owner, { room: foreign.id })), 404, 'not_found');
      expectEnvelope(await refusal(world.visitorSocket(visitor, { conv: foreign.id })), 404, 'not_found');
    });

    it('A visitor cannot join another contact’s conversation (404)', async () => {
      expectEnvelope(await refusal(world.visitorSocket(visitor, { conv: neighbour.id })), 404, 'not_found');
    });

    it('An agent cannot join a conversation of a channel outside its scope, even with an empty scope (404)', async () => {
      expectEnvelope(await refusal(world.agentSocket(scoped, { room: conversation.id })), 404, 'not_found');
      const nowhere = await world.colleague(desk, { channel_ids: [] });
      expectEnvelope(await refusal(world.agentSocket(nowhere, { room: conversation.id })), 404, 'not_found');
    });

    it('Handshakes looked up in one batch are each admitted or refused by their own caller’s access', async () => {
      const nowhere = await world.colleague(desk, { channel_ids: [] });
      const here = await world.colleague(desk, { channel_ids: [desk.channelId] });
      const room = conversation.id;
      const attempts: [expected: number, open: () => Promise<TestSocket>][] = [
        [101, () => world.agentSocket(desk.owner, { room })],
        [101, () => world.agentSocket(here, { room })],
        [404, () => world.agentSocket(scoped, { room })],
        [404, () => world.agentSocket(nowhere, { room })],
        [404, () => world.agentSocket(stranger.owner, { room })],
        [101, () => world.agentSocket(stranger.owner, { room: foreign.id })],
        [101, () => world.visitorSocket(visitor, { conv: room })],
        [404, () => world.visitorSocket(visitor, { conv: neighbour.id })],
        [404, () => world.visitorSocket(visitor, { conv: foreign.id })],
      ];
      const all = Array.from({ length: 4 }, () => attempts).flat();
      const answers = await Promise.all(
        all.map(([, open]) =>
          open().then(
            () => 101,
            (refused: unknown) => (refused as Refused).status,
          ),
        ),
      );
      expect(answers).toEqual(all.map(([expected]) => expected));
    });

    it('The refusal of a foreign conversation is the same as that of an unknown one', async () => {
      const foreignRefusal = await refusal(world.agentSocket(desk.owner, { room: foreign.id }));
      const unknownRefusal = await refusal(world.agentSocket(desk.owner, { room: newId() }));
      expect(foreignRefusal.body.error).toEqual(unknownRefusal.body.error);
    });
  });

  describe('A caller whose access has ended', () => {
    it('A deactivated member cannot open a socket (403)', async () => {
      const agent = await world.colleague(desk);
      await world.app.database.query(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [agent.memberId]);
      expectEnvelope(await refusal(world.agentSocket(agent)), 403, 'member_deactivated');
    });

    it('A blocked contact cannot open a socket (403)', async () => {
      const blocked = await world.visitor(desk);
      await world.app.database.query(`UPDATE contact SET blocked = true WHERE id = $1`, [blocked.contactId]);
      expectEnvelope(await refusal(world.visitorSocket(blocked)), 403, 'contact_blocked');
    });

    it('An agent who has signed out cannot open a socket (401)', async () => {
      const agent = await world.colleague(desk);
      await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
      expectEnvelope(await refusal(world.agentSocket(agent)), 401, 'token_revoked');
    });

    it.each(['deleted', 'disabled'])('A visitor of a %s channel cannot open a socket (401)', async end => {
      const channel = await world.channel(desk);
      const guest = await world.visitor({ widgetToken: channel.widget_token });
      const path = `/v1/channels/${channel.id}`;
      await (end === 'deleted' ? desk.owner.api.delete(path) : desk.owner.api.patch(path, { status: 'disabled' }));
      expectEnvelope(await refusal(world.visitorSocket(guest)), 401, 'token_revoked');
    });

    it('An agent who signs out during the handshake receives no event and is closed with 4502', async () => {
      const agent = await world.colleague(desk);
      const states = world.app.app.get(HandshakeStatesRepository);
      let reportStart = () => {};
      const started = new Promise<void>(resolve => (reportStart = resolve));
      let reportSignOut = () => {};
      const signedOut = new Promise<void>(resolve => (reportSignOut = resolve));
      // Delays what follows the read of its session until the agent has signed out.
      states.findAgent = async (...key) => {
        const state = await HandshakeStatesRepository.prototype.findAgent.apply(states, key);
        reportStart();
        await signedOut;
        return state;
      };
      try {
        const opening = world.socket('agent', { token: agent.token, room: conversation.id, reject: 'close' });
        await started;
        await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
        reportSignOut();
        const socket = await opening;
        expect((await socket.end()).code).toBe(4502);
        expect(socket.frames.filter(({ type }) => type !== 'connected')).toEqual([]);
      } finally {
        Reflect.deleteProperty(states, 'findAgent');
      }
    });
  });

  describe('Handshakes with ?reject=close, for browsers, which cannot read an HTTP response', () => {
    const closeCode = async (route: Route, query: Record<string, string>, headers = {}) =>
      (await (await world.socket(route, { reject: 'close', ...query }, headers)).end()).code;

    it.each(ROUTES)(
      'With reject=close, an expired token closes a socket of the %s route with 4003 (get another one)',
      async route => {
        expect(await closeCode(route, { token: forgeToken(route, { claims: { exp: nowInSeconds() - 1 } }) })).toBe(
          4003,
        );
      },
    );

    it.each(ROUTES)(
      'With reject=close, a missing or invalid token closes a socket of the %s route with 4502 (stop)',
      async route => {
        expect(await closeCode(route, {})).toBe(4502);
        expect(await closeCode(route, { token: 'garbage' })).toBe(4502);
        expect(await closeCode(route, { token: desk.owner.refreshToken })).toBe(4502);
      },
    );

    it('With reject=close, a deactivated member’s socket closes with 4500', async () => {
      const agent = await world.colleague(desk);
      await world.app.database.query(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [agent.memberId]);
      expect(await closeCode('agent', { token: agent.token })).toBe(4500);
    });

    it('With reject=close, a blocked contact and a wrong origin close with 4502', async () => {
      const channel = await world.channel(desk, { allowed_origins: ['https://shop.example'] });
      const guest = await world.visitor({ widgetToken: channel.widget_token });
      expect(await closeCode('visitor', { token: guest.token }, { Origin: 'https://evil.example' })).toBe(4502);
      await world.app.database.query(`UPDATE contact SET blocked = true WHERE id = $1`, [guest.contactId]);
      expect(await closeCode('visitor', { token: guest.token })).toBe(4502);
    });

    it('With reject=close, an unknown room closes with 4504', async () => {
      expect(await closeCode('agent', { token: desk.owner.token, room: newId() })).toBe(4504);
      expect(await closeCode('visitor', { token: visitor.token, conv: 'nonsense' })).toBe(4504);
    });

    it('With reject=close, no frame precedes the close', async () => {
      const socket = await world.socket('agent', { reject: 'close' });
      await socket.end();
      expect(socket.frames).toEqual([]);
    });

    it('With reject=close, a valid handshake opens a socket', async () => {
      const socket = await world.agentSocket(desk.owner, { reject: 'close' });
      await socket.next('connected');
      await socket.settled();
    });

    it('With reject=close, an unknown path and a malformed upgrade still get HTTP responses', async () => {
      const url = `${world.app.wsUrl}/ws/other?reject=close`;
      expectEnvelope(await upgrade(url), 404, 'not_found');
      const agent = `${world.app.wsUrl}/ws/agent?reject=close`;
      const malformed = await upgrade(agent, { headers: { 'Sec-WebSocket-Key': 'x' } });
      expectEnvelope(malformed, 400, 'malformed_request');
    });

    it('An invalid frame sent into a socket that is being rejected does no harm', async () => {
      const { status, socket } = await upgrade(`${world.app.wsUrl}/ws/agent?reject=close`);
      expect(status).toBe(101);
      const closed = new Promise(resolve => socket?.once('close', resolve));
      socket?.on('error', () => undefined).resume();
      socket?.write(Buffer.alloc(64, 0xff)); // reserved bits, no mask
      await closed;
      await (await world.agentSocket(desk.owner)).settled();
    });
  });

  describe('The allowed_origins of a channel', () => {
    it('`allowed_origins` admits the listed origins and clients without an Origin, and refuses others (403)', async () => {
      const channel = await world.channel(desk, { allowed_origins: ['https://shop.example'] });
      const guest = await world.visitor({ widgetToken: channel.widget_token });
      const from = (origin: string) => world.visitorSocket(guest, {}, { Origin: origin });
      await (await from('https://shop.example')).settled();
      await (await from('https://SHOP.example')).settled();
      await (await world.visitorSocket(guest)).settled();
      for (const origin of ['https://evil.example', 'http://shop.example', 'https://shop.example:8443', 'null']) {
        expectEnvelope(await refusal(from(origin)), 403, 'origin_not_allowed');
      }
    });

    it('A channel without allowed_origins admits every origin', async () => {
      await (await world.visitorSocket(visitor, {}, { Origin: 'https://anywhere.example' })).settled();
    });
  });

  it('A frame sent right behind the handshake is answered after the connected frame', async () => {
    const { socket } = await upgrade(`${world.app.wsUrl}/ws/agent?token=${desk.owner.token}`);
    const ping = Buffer.from('{"type":"ping"}');
    // A mask of zeros leaves the text unchanged.
    socket?.write(Buffer.concat([Buffer.from([0x81, 0x80 | ping.length, 0, 0, 0, 0]), ping]));
    let text = '';
    socket?.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    await eventually(() => (text.includes('{"type":"pong"}') ? true : undefined));
    expect(text).toMatch(/"connected".*"pong"/s);
    socket?.destroy();
  });

  it('The answer to an upgrade and the connected frame arrive in one packet', async () => {
    const client = requestUpgrade(world.app.wsUrl, `/ws/agent?token=${desk.owner.token}`);
    const first = await new Promise<Buffer>(resolve => client.once('data', resolve));
    client.destroy();
    expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 101 .*"connected"/s);
  });

  it('A refused client that never closes its side of the connection is dropped', async () => {
    const { port } = new URL(world.app.url);
    const client = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined);
    const closed = new Promise<boolean>(resolve => client.once('close', () => resolve(true)));
    let text = '';
    client.on('data', (chunk: Buffer) => (text += chunk.toString()));
    client.write('GET /ws/agent HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await new Promise(resolve => client.once('end', resolve));
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    // Writing to a closed connection triggers the reset that closes this side.
    await eventually(() => {
      if (!isClosed) client.write('x');
      return isClosed || undefined;
    });
  });
});

describe('The limit of handshakes per principal', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ RATE_LIMITS: 'handshake=3/60' });
  });
  afterAll(() => world.stop());

  it('A principal past its handshake limit gets 429 with Retry-After, and others are not affected', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    for (let index = 0; index < 3; index += 1) await world.agentSocket(desk.owner);
    const refused = await refusal(world.agentSocket(desk.owner));
    expectEnvelope(refused, 429, 'rate_limited');
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0' });
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(refused.headers['ratelimit-reset']).toBe(String(wait));
    const browser = await world.socket('agent', { token: desk.owner.token, reject: 'close' });
    expect((await browser.end()).code).toBe(4008);
    await (await world.visitorSocket(visitor)).settled();
  });

  it('Handshakes with an invalid token do not count against a member’s limit', async () => {
    const desk = await world.desk();
    for (let index = 0; index < 5; index += 1) {
      expectEnvelope(await refusal(world.socket('agent', { token: 'garbage' })), 401, 'invalid_token');
    }
    await (await world.agentSocket(desk.owner)).settled();
  });
});

describe('The limit of unknown tokens per address', () => {
  it('An address past its limit of unknown tokens gets 429 for them, but a valid token is admitted', async () => {
    const world = await World.start({ RATE_LIMITS: 'credential_unknown=3/60' });
    const desk = await world.desk();
    const guess = () => refusal(world.socket('agent', { token: 'garbage' }));
    for (let time = 1; time <= 3; time += 1) expectEnvelope(await guess(), 401, 'invalid_token');
    expectEnvelope(await guess(), 429, 'rate_limited');
    await (await world.agentSocket(desk.owner)).settled();
    await world.stop();
  });
});

describe('A service that stops', () => {
  it('A draining service refuses new sockets with 503 and Retry-After, and keeps open ones', async () => {
    const world = await World.start();
    const desk = await world.desk();
    const open = await world.agentSocket(desk.owner);
    world.app.app.get(LifecycleService).drain();
    const refused = await refusal(world.agentSocket(desk.owner));
    expectEnvelope(refused, 503, 'unavailable');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const browser = await world.socket('agent', { token: desk.owner.token, reject: 'close' });
    expect((await browser.end()).code).toBe(1013);
    await open.settled();
    await world.stop();
  });

  it('A draining service closes sockets with 1012 in waves, refuses new ones (503) and finishes running requests', async () => {
    const world = await World.start();
    const { database, app } = world.app;
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const { id } = await world.conversation(visitor);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => world.agentSocket(desk.owner)));
    const ends = sockets.map(socket => socket.end(10_000).then(({ code }) => ({ code, at: performance.now() })));
    await database.query('BEGIN');
    await database.query('SELECT 1 FROM conversation WHERE id = $1 FOR UPDATE', [id]);
    const waiting = desk.owner.api.post(`/v1/conversations/${id}/messages`, { content: 'Just in time.' });
    await eventually(async () => {
      const [row] = await database.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return row?.n === 1 || undefined;
    });
    const stopped = drain(app, 1, new AbortController().signal);
    await Promise.race(ends);
    expectEnvelope(await refusal(world.agentSocket(desk.owner)), 503, 'unavailable');
    const late = await world.anyone.get('/v1/auth/me');
    expect({ status: late.status, wait: late.headers['retry-after'] }).toEqual({ status: 503, wait: '1' });
    const closed = await Promise.all(ends);
    expect(closed.map(({ code }) => code)).toEqual(closed.map(() => 1012));
    const times = closed.map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(500);
    await database.query('COMMIT');
    expect((await waiting).status).toBe(201);
    await stopped;
    await expect(world.anyone.get('/healthz')).rejects.toThrow(/ECONNREFUSED/);
    await database.drop();
  });

  it('A handshake that began before the drain and ends after it is refused (503)', async () => {
    const world = await World.start();
    const desk = await world.desk();
    const states = world.app.app.get(HandshakeStatesRepository);
    const { id } = await world.conversation(await world.visitor(desk));
    states.findAgent = (...key) => {
      world.app.app.get(LifecycleService).drain();
      return HandshakeStatesRepository.prototype.findAgent.apply(states, key);
    };
    expectEnvelope(await refusal(world.agentSocket(desk.owner, { room: id })), 503, 'unavailable');
    await world.stop();
  });
});

describe('Racing sign-outs and handshakes', () => {
  it('A sign-out that races with handshakes of its session leaves no socket open', async () => {
    const world = await World.start();
    const desk = await world.desk();
    const agents = await Promise.all(Array.from({ length: 8 }, () => world.colleague(desk)));
    await Promise.all(
      agents.map(async agent => {
        const opening = Array.from({ length: 5 }, () =>
          world.agentSocket(agent, { reject: 'close' }).then(socket => socket.end(3_000)),
        );
        const leaving = world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
        const ends = await Promise.all(opening);
        expect((await leaving).status).toBe(200);
        expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 4502));
      }),
    );
    // After a new sign-in, the agent can open sockets again.
    const [agent] = agents;
    const again = await world.anyone.post('/v1/auth/login', { email: agent?.email ?? unique(), password: PASSWORD });
    await (await world.socket('agent', { token: again.data.token })).settled();
    await world.stop();
  });
});
