import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { Fleet, hasFleet } from '../support/fleet.js';
import type { Json } from '../support/json.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi, beginConversation, ResumingListener, openDesk, sendUntilAccepted } from '../support/outside.js';
import { countsOf, race } from '../support/race.js';
import { call } from '../support/service-process.js';
import { ticketIn } from '../support/sso.js';
import { upgrade } from '../support/upgrade.js';
import { PASSWORD, unique } from '../support/world.js';

const RATES = 'register=10000/60,widget_session=10000/60,visitor=100000/60,visitor_message=100000/60,agent=100000/60';

(hasFleet ? describe : describe.skip)('Two instances behind nginx without sticky sessions', () => {
  let fleet: Fleet;
  let desk: OutsideDesk;
  let one: string;
  let other: string;
  const listeners: ResumingListener[] = [];

  beforeAll(async () => {
    fleet = await Fleet.start({ env: { RATE_LIMITS: `${RATES},login=3/900` } });
    [one, other] = [fleet.at(0), fleet.at(1)];
    desk = await openDesk(fleet.url);
  }, 240_000);
  afterEach(() => {
    for (const listener of listeners.splice(0)) listener.close();
  });
  afterAll(async () => {
    expect(fleet.complaints).toEqual([]);
    await fleet.stop();
  });

  async function closedAfterTest(opening: Promise<ResumingListener>): Promise<ResumingListener> {
    const listener = await opening;
    listeners.push(listener);
    return listener;
  }

  /** Like `call`, but from another local address and with any headers. */
  function callFrom(
    address: string,
    path: string,
    body: unknown,
    headers = {},
  ): Promise<{ status: number; body: Json }> {
    return new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        localAddress: address,
        agent: false,
        headers: { 'Content-Type': 'application/json', ...headers },
      };
      const outgoing = request(`${fleet.url}${path}`, options, response => {
        let text = '';
        response.on('data', chunk => (text += String(chunk)));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Json }));
      });
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify(body));
    });
  }

  it('The nginx proxy distributes requests over both instances.', async () => {
    const before = fleet.balancer.logs.length;
    await race(20, () => callApi('GET', `${fleet.url}/v1/auth/me`, desk.token));
    const log = fleet.balancer.logs.slice(before);
    for (const url of fleet.urls) expect(log).toContain(` ${new URL(url).host} 200 `);
  });

  it('A session from one instance works on the other: access token, refresh and logout.', async () => {
    const body = { email: desk.email, password: PASSWORD };
    const session = await callApi('POST', `${one}/v1/auth/login`, undefined, body);
    expect((await callApi('GET', `${other}/v1/auth/me`, session.token)).member.id).toBe(desk.memberId);
    const { refresh_token } = session;
    const renewed = await callApi('POST', `${other}/v1/auth/refresh`, undefined, { refresh_token });
    expect((await call('GET', `${one}/v1/auth/me`, { token: renewed.token })).status).toBe(200);
    await callApi('POST', `${one}/v1/auth/logout`, undefined, { refresh_token });
    expect((await call('GET', `${other}/v1/auth/me`, { token: renewed.token })).body.error.code).toBe('token_revoked');
  });

  it('An SSO ticket from one instance can be exchanged on the other, exactly once across both.', async () => {
    const issued = await callApi('POST', `${one}/v1/auth/sso/ticket`, desk.key, { email: desk.email });
    const body = { ticket: ticketIn(issued.redirect_url) };
    const tries = await race(10, index => call('POST', `${fleet.at(index % 2)}/v1/auth/sso/exchange`, { body }));
    expect(countsOf(tries.map(({ status }) => status))).toEqual({ 200: 1, 401: 9 });
    const through = await callApi('POST', `${fleet.url}/v1/auth/sso/ticket`, desk.key, { email: desk.email });
    const { token } = await callApi('POST', `${fleet.url}/v1/auth/sso/exchange`, undefined, {
      ticket: ticketIn(through.redirect_url),
    });
    for (const url of fleet.urls)
      expect((await callApi('GET', `${url}/v1/auth/me`, token)).member.id).toBe(desk.memberId);
  });

  it('An agent connected to one instance receives messages and typing of a visitor on the other.', async () => {
    const inbox = await closedAfterTest(ResumingListener.agent(one, desk.token));
    const balanced = await closedAfterTest(ResumingListener.agent(fleet.url, desk.token));
    const conversation = await beginConversation(other, desk);
    const page = await closedAfterTest(ResumingListener.visitor(other, conversation.token));
    page.send({ type: 'typing', conversation_id: conversation.conversationId });
    const path = `${other}/v1/widget/conversations/${conversation.conversationId}/messages`;
    await callApi('POST', path, conversation.token, { content: 'Is anybody there?' });
    for (const agent of [inbox, balanced]) {
      await agent.waitForFrame(
        ({ type, conversation_id }) => type === 'typing' && conversation_id === conversation.conversationId,
      );
      await agent.waitForFrame(({ data }) => data?.message?.content === 'Is anybody there?');
      expect(agent.messages(conversation.conversationId)).toEqual(['Hello?', 'Is anybody there?']);
    }
    await callApi('POST', `${one}/v1/conversations/${conversation.conversationId}/take`, desk.token);
    inbox.send({ type: 'typing', conversation_id: conversation.conversationId });
    await page.waitForFrame(({ type, data }) => type === 'typing' && data.sender_type === 'agent');
    await callApi('POST', `${one}/v1/conversations/${conversation.conversationId}/messages`, desk.token, {
      content: 'Yes!',
    });
    await page.waitForFrame(({ data }) => data?.message?.content === 'Yes!');
  });

  it('A request repeated on the other instance has one effect and returns the same response.', async () => {
    const conversation = await beginConversation(one, desk);
    const path = `/v1/widget/conversations/${conversation.conversationId}/messages`;
    const body = { content: 'Once', client_message_id: 'once' };
    const sent = await race(10, index =>
      call('POST', `${fleet.at(index % 2)}${path}`, { token: conversation.token, body }),
    );
    expect(countsOf(sent.map(({ status }) => status))).toEqual({ 200: 9, 201: 1 });
    expect(new Set(sent.map(answer => answer.body.data.id)).size).toBe(1);

    const headers = { 'Idempotency-Key': unique('key') };
    const member = { email: `${unique('agent')}@example.com`, name: 'Adam' };
    const make = (url: string) =>
      call('POST', `${url}/v1/workspace/members`, { token: desk.key, body: member, headers });
    const first = await make(one);
    const again = await make(other);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.data).toEqual(first.body.data);
  });

  it('Instances see the client address that nginx saw, whatever X-Forwarded-For the client sends.', async () => {
    const claims = () => ({
      'X-Forwarded-For': `203.0.113.${Math.floor(Math.random() * 250)}, 198.51.100.7`,
      'X-Real-IP': '203.0.113.9',
    });
    const authorized = { ...claims(), Authorization: `Bearer ${desk.token}` };
    const made = await callFrom('127.0.0.2', '/v1/api-keys', { name: 'from afar' }, authorized);
    expect(made.status).toBe(201);
    const sql = `SELECT address FROM event WHERE request_id = $1 AND address IS NOT NULL`;
    const [event] = await fleet.database.query<{ address: string }>(sql, [made.body.request_id]);
    expect(event?.address).toBe('127.0.0.2');

    // Both instances share the limit, which counts per real address.
    const guess = { email: desk.email, password: 'not this one at all' };
    const guesses: number[] = [];
    for (let count = 0; count < 6; count += 1)
      guesses.push((await callFrom('127.0.0.3', '/v1/auth/login', guess, claims())).status);
    expect(guesses).toEqual([401, 401, 401, 429, 429, 429]);
    const right = { email: desk.email, password: PASSWORD };
    expect((await callFrom('127.0.0.3', '/v1/auth/login', right, claims())).status).toBe(429);
    expect((await callFrom('127.0.0.4', '/v1/auth/login', right, claims())).status).toBe(200);
  });

  it('A refused handshake reaches the client through nginx with its status and error body.', async () => {
    const refused = await upgrade(`${fleet.balancer.wsUrl}/ws/agent?token=nonsense`, {
      headers: { 'X-Request-Id': 'walked-through' },
    });
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(refused.headers['x-request-id']).toBe('walked-through');
    expect(refused.body).toMatchObject({ ok: false, request_id: 'walked-through', error: { code: 'invalid_token' } });
    const nowhere = await upgrade(`${fleet.balancer.wsUrl}/ws/agent?token=${desk.token}&room=nowhere`);
    expect([nowhere.status, nowhere.body.error?.code]).toEqual([404, 'not_found']);
    const browser = await closedAfterTest(
      ResumingListener.open(`${fleet.balancer.wsUrl}/ws/agent?token=${desk.token}&reject=close`),
    );
    expect(browser.ends).toEqual([]);
  });

  it('The service answers an oversized body with 413, and nginx its own limits in the same error envelope.', async () => {
    const post = (size: number) =>
      call('POST', `${fleet.url}/v1/auth/login`, { body: { email: 'a@example.com', password: 'x'.repeat(size) } });
    for (const size of [300_000, 5_000_000]) {
      const { status, body, headers } = await post(size);
      expect([size, status, body.error]).toEqual([
        size,
        413,
        { code: 'body_too_large', message: expect.stringContaining('32768') },
      ]);
      expect(headers.get('x-request-id')).toBe(body.request_id);
    }
    const { status, body, headers } = await post(28_000_000);
    expect([status, body.error.code]).toEqual([413, 'body_too_large']);
    expect(body).toMatchObject({
      ok: false,
      request_id: headers.get('x-request-id'),
      timestamp: expect.stringMatching(/^\d{4}-.*[Z0]$/),
    });
    const bomb = await call('GET', `${fleet.url}/v1/auth/me`, { headers: { 'X-Bomb': 'x'.repeat(20_000) } });
    expect([bomb.status, bomb.body.error.code]).toEqual([400, 'malformed_request']);
    const metrics = await call('GET', `${fleet.url}/metrics`);
    expect([metrics.status, metrics.body.error.code]).toEqual([404, 'not_found']);
  });

  describe('when one instance is killed', () => {
    let conversation: { token: string; conversationId: string };
    const send = (content: string) =>
      call('POST', `${fleet.url}/v1/widget/conversations/${conversation.conversationId}/messages`, {
        token: conversation.token,
        body: { content },
      });

    it('Requests succeed on the surviving instance, and sockets resume there from their cursor.', async () => {
      conversation = await beginConversation(fleet.url, desk);
      const homes = [fleet.at(0), fleet.url];
      // The first connection goes to the instance that will be killed; later ones go through nginx.
      const socketUrl = () => `${(homes.shift() ?? fleet.url).replace('http', 'ws')}/ws/agent?token=${desk.token}`;
      const agent = await closedAfterTest(ResumingListener.open(socketUrl));
      await send('before');
      await agent.waitForFrame(({ data }) => data?.message?.content === 'before');
      await fleet.kill(0);
      const refusals: unknown[] = [];
      const recordRefusal = (...refusal: unknown[]) => void refusals.push(refusal);
      await race(20, index => sendUntilAccepted(() => fleet.url, conversation, `amid ${index}`, recordRefusal));
      // Usually none. A POST in flight to the dead instance may fail, because nginx does not retry it.
      expect(refusals.filter(refusal => String(refusal) !== '503,1,unavailable')).toEqual([]);
      const answers = await race(20, () => call('GET', `${fleet.url}/v1/auth/me`, { token: desk.token }));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      await agent.waitForFrame(({ type }) => type === 'resumed');
      await send('after');
      await agent.waitForFrame(({ data }) => data?.message?.content === 'after');
      // Seqs from 2 on, because the socket opened after the first message, which it may also receive.
      const seqs = new Set(agent.events.map(({ data }) => data.message?.seq as number | undefined));
      expect([...Array(22).keys()].filter(index => !seqs.has(index + 2))).toEqual([]);
      expect(agent.ends.map(({ code }) => code)).toEqual([1006]);
    });

    it('The nginx proxy answers 503 with Retry-After in the error envelope when both instances are down.', async () => {
      await fleet.kill(1);
      for (const answer of [
        await send('to nobody'),
        await call('GET', `${fleet.url}/v1/auth/me`, { token: desk.token }),
      ]) {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
        expect(answer.body).toMatchObject({ ok: false, error: { code: 'unavailable' } });
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      }
      const socket = await upgrade(`${fleet.balancer.wsUrl}/ws/agent?token=${desk.token}`);
      expect([socket.status, socket.body.error?.code, socket.headers['retry-after']]).toEqual([
        503,
        'unavailable',
        '1',
      ]);
    });

    it('The nginx proxy finds a restarted instance without reconfiguration.', async () => {
      await fleet.run(1);
      // nginx skips an instance for two seconds after its last attempt (`fail_timeout`).
      const found = await eventually(async () => {
        const { status } = await call('GET', `${fleet.url}/v1/auth/me`, { token: desk.token });
        return status === 503 ? undefined : status;
      });
      expect(found).toBe(200);
      const inbox = await closedAfterTest(ResumingListener.agent(fleet.url, desk.token));
      await send('again');
      await inbox.waitForFrame(({ data }) => data?.message?.content === 'again');
    });

    it('No nginx log contains a token.', () => {
      const { logs } = fleet.balancer;
      expect(logs).toContain('/ws/agent');
      for (const secret of [desk.token, conversation.token, desk.key, 'token=']) expect(logs).not.toContain(secret);
    });
  });
});
