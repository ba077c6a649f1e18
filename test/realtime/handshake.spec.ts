import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { ConversationsService } from '../../src/modules/conversations/index.js';
import { drain } from '../../src/platform/health/drain.js';
import { Lifecycle } from '../../src/platform/health/lifecycle.js';
import { eventually } from '../support/eventually.js';
import { Refused, TestSocket } from '../support/socket.js';
import { jwt, readJwt } from '../support/tokens.js';
import type { UpgradeAnswer } from '../support/upgrade.js';
import { upgrade } from '../support/upgrade.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const ROUTES = ['visitor', 'agent'] as const;
type Route = (typeof ROUTES)[number];

/** How the service answered somebody whom it did not let in. */
async function refusal(attempt: Promise<TestSocket>): Promise<Refused> {
  const outcome: unknown = await attempt.catch((error: unknown) => error);
  if (!(outcome instanceof Refused)) throw new Error(`not refused: ${String(outcome)}`);
  return outcome;
}

/** Every refusal is HTTP with the envelope that any other request would get. */
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

describe('opening a socket', () => {
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

  /** The route's own good token with something changed, signed with the service's own secret unless told otherwise. */
  function forged(route: Route, change: { claims?: object; header?: object; secret?: string }): string {
    const { header, claims } = readJwt(tokenOf(route));
    const secret = change.secret ?? world.app.config.jwtSecrets[0]?.secret ?? '';
    return jwt({ ...claims, ...change.claims }, secret, { ...header, ...change.header });
  }

  const seconds = () => Math.floor(Date.now() / 1000);
  const wrongKind = (route: Route) => `${route}_token_required`;
  // a visitor's page asks for a new session, whether its contact is gone or its tokens were called back
  const gone = (route: Route) => (route === 'visitor' ? 'token_revoked' : 'invalid_token');
  type Token = string | null;
  const BAD_TOKENS: [string, (route: Route) => Token | Promise<Token>, string | ((route: Route) => string)][] = [
    ['no token', () => null, 'unauthenticated'],
    ['an empty token', () => '', 'unauthenticated'],
    ['garbage', () => 'garbage', 'invalid_token'],
    ['garbage in three parts', () => 'a.b.c', 'invalid_token'],
    ['a token that has ended', route => forged(route, { claims: { exp: seconds() - 1 } }), 'token_expired'],
    ['a token of the other kind', route => tokenOf(route === 'agent' ? 'visitor' : 'agent'), wrongKind],
    ['a refresh token', () => desk.owner.refreshToken, wrongKind],
    ['an API key', async () => (await world.apiKey(desk)).token, wrongKind],
    ['an API key that nobody made', () => `svc_sk_${'a'.repeat(32)}`, wrongKind],
    ['alg none', route => forged(route, { header: { alg: 'none' } }), 'invalid_token'],
    ['alg HS512', route => forged(route, { header: { alg: 'HS512' } }), 'invalid_token'],
    ['another audience', route => forged(route, { claims: { aud: 'elsewhere' } }), 'invalid_token'],
    ['another issuer', route => forged(route, { claims: { iss: 'elsewhere' } }), 'invalid_token'],
    ['another secret', route => forged(route, { secret: 'a secret of somebody else' }), 'invalid_token'],
    ['a key that is not known', route => forged(route, { header: { kid: 'unknown' } }), 'invalid_token'],
    ['a session that is not there', route => forged(route, { claims: { sid: newId(), sub: newId() } }), gone],
  ];

  describe.each(ROUTES)('on the %s route', route => {
    it.each(BAD_TOKENS)('%s is 401', async (_name, make, code) => {
      const token = await make(route);
      const refused = await refusal(world.socket(route, token === null ? {} : { token }));
      expectEnvelope(refused, 401, typeof code === 'string' ? code : code(route));
      expect(refused.headers['www-authenticate']).toMatch(token ? /^Bearer error="invalid_token"$/ : /^Bearer$/);
    });

    it('echoes a decent X-Request-Id and makes one for any other', async () => {
      const decent = await refusal(world.socket(route, {}, { 'X-Request-Id': 'my-request.0001' }));
      expectEnvelope(decent, 401, 'unauthenticated');
      expect(decent.body.request_id).toBe('my-request.0001');
      const other = await refusal(world.socket(route, {}, { 'X-Request-Id': 'no good' }));
      expectEnvelope(other, 401, 'unauthenticated');
    });

    it('takes the token from the query alone', async () => {
      const refused = await refusal(world.socket(route, {}, { Authorization: `Bearer ${tokenOf(route)}` }));
      expectEnvelope(refused, 401, 'unauthenticated');
    });

    it.each([
      ['a key that is no key', { 'Sec-WebSocket-Key': 'x' }],
      ['no key', { 'Sec-WebSocket-Key': undefined }],
      ['version 12', { 'Sec-WebSocket-Version': '12' }],
      ['no version', { 'Sec-WebSocket-Version': undefined }],
      ['a broken list of protocols', { 'Sec-WebSocket-Protocol': ',' }],
    ])('a malformed upgrade is 400: %s', async (_name, headers) => {
      const answer = await upgrade(`${world.app.wsUrl}/ws/${route}?token=${tokenOf(route)}`, { headers });
      expectEnvelope(answer, 400, 'malformed_request');
    });

    it('an upgrade that is no GET is 400', async () => {
      const url = `${world.app.wsUrl}/ws/${route}?token=${tokenOf(route)}`;
      expectEnvelope(await upgrade(url, { method: 'POST' }), 400, 'malformed_request');
    });

    it('a request that wants no upgrade is 404', async () => {
      expect((await world.anyone.get(`/ws/${route}?token=${tokenOf(route)}`)).status).toBe(404);
    });
  });

  it.each(['/', '/ws', '/ws/', '/ws/visitor/', '/ws/Agent', '/ws/other', '/v1/ws/visitor', '/v1/auth/me'])(
    'an upgrade of %s is 404',
    async path => {
      const answer = await upgrade(`${world.app.wsUrl}${path}?token=${desk.owner.token}`);
      expectEnvelope(answer, 404, 'not_found');
    },
  );

  describe('the first frame', () => {
    it('tells an agent its room, where the log is and how to stay', async () => {
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
    ])('room=%s is the %s', async (room, told) => {
      const { frames } = await world.agentSocket(desk.owner, { room });
      expect(frames[0]?.data.room).toBe(told);
    });

    it('tells who asked for one conversation that it is there', async () => {
      const agent = await world.agentSocket(desk.owner, { room: conversation.id });
      const page = await world.visitorSocket(visitor, { conv: conversation.id });
      expect([agent.frames[0]?.data.room, page.frames[0]?.data.room]).toEqual([conversation.id, conversation.id]);
    });

    it('tells a visitor without conv, or with an empty one, that it sits in its own room', async () => {
      const rooms = [await world.visitorSocket(visitor), await world.visitorSocket(visitor, { conv: '' })];
      expect(rooms.map(({ frames }) => frames[0]?.data.room)).toEqual(['contact', 'contact']);
    });

    it('gives each connection an id of its own', async () => {
      const sockets = await Promise.all([1, 2, 3].map(() => world.agentSocket(desk.owner)));
      expect(new Set(sockets.map(({ frames }) => frames[0]?.data.connection_id)).size).toBe(3);
    });
  });

  describe('a room that the caller may not see', () => {
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
      'is 404 when it is none: %s',
      async room => {
        expectEnvelope(await refusal(world.agentSocket(desk.owner, { room })), 404, 'not_found');
        expectEnvelope(await refusal(world.visitorSocket(visitor, { conv: room })), 404, 'not_found');
      },
    );

    it('is 404 when it is another workspace’s', async () => {
      expectEnvelope(await refusal(world.agentSocket(desk.owner, { room: foreign.id })), 404, 'not_found');
      expectEnvelope(await refusal(world.visitorSocket(visitor, { conv: foreign.id })), 404, 'not_found');
    });

    it('is 404 when it is another contact’s', async () => {
      expectEnvelope(await refusal(world.visitorSocket(visitor, { conv: neighbour.id })), 404, 'not_found');
    });

    it('is 404 when it is of a channel outside the agent’s scope, also for an agent with no channel at all', async () => {
      expectEnvelope(await refusal(world.agentSocket(scoped, { room: conversation.id })), 404, 'not_found');
      const nowhere = await world.colleague(desk, { channel_ids: [] });
      expectEnvelope(await refusal(world.agentSocket(nowhere, { room: conversation.id })), 404, 'not_found');
    });

    it('is refused to those alone who may not see it, also when all come at once and are looked up together', async () => {
      const nowhere = await world.colleague(desk, { channel_ids: [] });
      const here = await world.colleague(desk, { channel_ids: [desk.channelId] });
      const room = conversation.id;
      const comers: [expected: number, open: () => Promise<TestSocket>][] = [
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
      const all = Array.from({ length: 4 }, () => comers).flat();
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

    it('is 404 as another workspace’s id is, whether or not the conversation exists', async () => {
      const there = await refusal(world.agentSocket(desk.owner, { room: foreign.id }));
      const nowhere = await refusal(world.agentSocket(desk.owner, { room: newId() }));
      expect(there.body.error).toEqual(nowhere.body.error);
    });
  });

  describe('somebody who is no longer welcome', () => {
    it('a deactivated member is 403', async () => {
      const agent = await world.colleague(desk);
      await world.app.database.query(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [agent.memberId]);
      expectEnvelope(await refusal(world.agentSocket(agent)), 403, 'member_deactivated');
    });

    it('a blocked contact is 403', async () => {
      const blocked = await world.visitor(desk);
      await world.app.database.query(`UPDATE contact SET blocked = true WHERE id = $1`, [blocked.contactId]);
      expectEnvelope(await refusal(world.visitorSocket(blocked)), 403, 'contact_blocked');
    });

    it('an agent who has signed out is 401', async () => {
      const agent = await world.colleague(desk);
      await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
      expectEnvelope(await refusal(world.agentSocket(agent)), 401, 'token_revoked');
    });

    it.each(['deleted', 'disabled'])('a visitor of a channel that is %s is 401', async end => {
      const channel = await world.channel(desk);
      const guest = await world.visitor({ widgetToken: channel.widget_token });
      const path = `/v1/channels/${channel.id}`;
      await (end === 'deleted' ? desk.owner.api.delete(path) : desk.owner.api.patch(path, { status: 'disabled' }));
      expectEnvelope(await refusal(world.visitorSocket(guest)), 401, 'token_revoked');
    });

    it('an agent who signs out while the handshake is under way hears nothing and is closed', async () => {
      const agent = await world.colleague(desk);
      const conversations = world.app.app.get(ConversationsService);
      let asked = () => {};
      const underWay = new Promise<void>(resolve => (asked = resolve));
      let signedOut = () => {};
      const gone = new Promise<void>(resolve => (signedOut = resolve));
      // what comes after authentication takes its time
      conversations.findScope = async (...args) => {
        asked();
        await gone;
        return ConversationsService.prototype.findScope.apply(conversations, args);
      };
      try {
        const opening = world.socket('agent', { token: agent.token, room: conversation.id, reject: 'close' });
        await underWay;
        await world.anyone.post('/v1/auth/logout', { refresh_token: agent.refreshToken });
        signedOut();
        const socket = await opening;
        expect((await socket.end()).code).toBe(4502);
        expect(socket.frames.filter(({ type }) => type !== 'connected')).toEqual([]);
      } finally {
        Reflect.deleteProperty(conversations, 'place');
      }
    });
  });

  describe('with ?reject=close, for browsers, which cannot read an HTTP answer', () => {
    const closing = async (route: Route, query: Record<string, string>, headers = {}) =>
      (await (await world.socket(route, { reject: 'close', ...query }, headers)).end()).code;

    it.each(ROUTES)('an ended token closes with 4003 on the %s route: get another one', async route => {
      expect(await closing(route, { token: forged(route, { claims: { exp: seconds() - 1 } }) })).toBe(4003);
    });

    it.each(ROUTES)('no token, garbage and the wrong kind close with 4502 on the %s route: stop', async route => {
      expect(await closing(route, {})).toBe(4502);
      expect(await closing(route, { token: 'garbage' })).toBe(4502);
      expect(await closing(route, { token: desk.owner.refreshToken })).toBe(4502);
    });

    it('a deactivated member closes with 4500', async () => {
      const agent = await world.colleague(desk);
      await world.app.database.query(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [agent.memberId]);
      expect(await closing('agent', { token: agent.token })).toBe(4500);
    });

    it('a blocked contact and a page of the wrong origin close with 4502', async () => {
      const channel = await world.channel(desk, { allowed_origins: ['https://shop.example'] });
      const guest = await world.visitor({ widgetToken: channel.widget_token });
      expect(await closing('visitor', { token: guest.token }, { Origin: 'https://evil.example' })).toBe(4502);
      await world.app.database.query(`UPDATE contact SET blocked = true WHERE id = $1`, [guest.contactId]);
      expect(await closing('visitor', { token: guest.token })).toBe(4502);
    });

    it('a room that is not there closes with 4504', async () => {
      expect(await closing('agent', { token: desk.owner.token, room: newId() })).toBe(4504);
      expect(await closing('visitor', { token: visitor.token, conv: 'nonsense' })).toBe(4504);
    });

    it('no frame comes before the close', async () => {
      const socket = await world.socket('agent', { reject: 'close' });
      await socket.end();
      expect(socket.frames).toEqual([]);
    });

    it('whoever is welcome is let in', async () => {
      const socket = await world.agentSocket(desk.owner, { reject: 'close' });
      await socket.next('connected');
      await socket.settled();
    });

    it('an unknown path and a malformed upgrade stay HTTP answers', async () => {
      const url = `${world.app.wsUrl}/ws/other?reject=close`;
      expectEnvelope(await upgrade(url), 404, 'not_found');
      const agent = `${world.app.wsUrl}/ws/agent?reject=close`;
      const malformed = await upgrade(agent, { headers: { 'Sec-WebSocket-Key': 'x' } });
      expectEnvelope(malformed, 400, 'malformed_request');
    });

    it('what a refused stranger sends into the closing socket harms nobody', async () => {
      const { status, socket } = await upgrade(`${world.app.wsUrl}/ws/agent?reject=close`);
      expect(status).toBe(101);
      const closed = new Promise(resolve => socket?.once('close', resolve));
      socket?.on('error', () => undefined).resume();
      socket?.write(Buffer.alloc(64, 0xff)); // reserved bits, no mask
      await closed;
      await (await world.agentSocket(desk.owner)).settled();
    });
  });

  describe('allowed_origins', () => {
    it('lets in the pages that it names, and whoever is no page, and refuses the rest with 403', async () => {
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

    it('where it names none, every page is let in', async () => {
      await (await world.visitorSocket(visitor, {}, { Origin: 'https://anywhere.example' })).settled();
    });
  });

  it('frames that a client sends before it has read anything are answered', async () => {
    const { socket } = await upgrade(`${world.app.wsUrl}/ws/agent?token=${desk.owner.token}`);
    const ping = Buffer.from('{"type":"ping"}');
    // masked with zeros, which leaves the text as it is
    socket?.write(Buffer.concat([Buffer.from([0x81, 0x80 | ping.length, 0, 0, 0, 0]), ping]));
    let text = '';
    socket?.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    await eventually(() => (text.includes('{"type":"pong"}') ? true : undefined));
    expect(text.indexOf('"connected"')).toBeLessThan(text.indexOf('"pong"'));
    socket?.destroy();
  });

  it('a refused client that never closes its side is dropped', async () => {
    const { port } = new URL(world.app.url);
    const client = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined);
    const closed = new Promise<boolean>(resolve => client.once('close', () => resolve(true)));
    let text = '';
    client.on('data', (chunk: Buffer) => (text += chunk.toString()));
    client.write('GET /ws/agent HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await new Promise(resolve => client.once('end', resolve));
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    let over = false;
    void closed.then(() => (over = true));
    // what is written to a connection that is gone comes back as a reset
    await eventually(() => {
      if (!over) client.write('x');
      return over || undefined;
    });
  });
});

describe('a principal that opens sockets again and again', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ RATE_LIMITS: 'handshake=3/60' });
  });
  afterAll(() => world.stop());

  it('is 429 past the limit, told when to come back, and others are not held up', async () => {
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

  it('counts each member for itself, and nobody without a good token', async () => {
    const desk = await world.desk();
    for (let index = 0; index < 5; index += 1) {
      expectEnvelope(await refusal(world.socket('agent', { token: 'garbage' })), 401, 'invalid_token');
    }
    await (await world.agentSocket(desk.owner)).settled();
  });
});

describe('an address that comes with unknown tokens', () => {
  it('An address tries unknown tokens at a handshake so often a minute; a good token is admitted there', async () => {
    const world = await World.start({ RATE_LIMITS: 'credential_unknown=3/60' });
    const desk = await world.desk();
    const guess = () => refusal(world.socket('agent', { token: 'garbage' }));
    for (let time = 1; time <= 3; time += 1) expectEnvelope(await guess(), 401, 'invalid_token');
    expectEnvelope(await guess(), 429, 'rate_limited');
    await (await world.agentSocket(desk.owner)).settled();
    await world.stop();
  });
});

describe('a service that stops', () => {
  it('refuses new sockets with 503 and Retry-After, and keeps those that are open until their turn', async () => {
    const world = await World.start();
    const desk = await world.desk();
    const open = await world.agentSocket(desk.owner);
    world.app.app.get(Lifecycle).drain();
    const refused = await refusal(world.agentSocket(desk.owner));
    expectEnvelope(refused, 503, 'unavailable');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const browser = await world.socket('agent', { token: desk.owner.token, reject: 'close' });
    expect((await browser.end()).code).toBe(1013);
    await open.settled();
    await world.stop();
  });

  it('closes sockets with 1012 in waves, answers newcomers 503 meanwhile, and finishes requests under way', async () => {
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

  it('lets nobody in whose handshake began before and ends after', async () => {
    const world = await World.start();
    const desk = await world.desk();
    const conversations = world.app.app.get(ConversationsService);
    const { id } = await world.conversation(await world.visitor(desk));
    conversations.findScope = (...args) => {
      world.app.app.get(Lifecycle).drain();
      return ConversationsService.prototype.findScope.apply(conversations, args);
    };
    expectEnvelope(await refusal(world.agentSocket(desk.owner, { room: id })), 503, 'unavailable');
    await world.stop();
  });
});

describe('racing sign-outs and handshakes', () => {
  it('leave no socket open', async () => {
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
    // signed in again, each is welcome again
    const [agent] = agents;
    const again = await world.anyone.post('/v1/auth/login', { email: agent?.email ?? unique(), password: PASSWORD });
    await (await world.socket('agent', { token: again.data.token })).settled();
    await world.stop();
  });
});
