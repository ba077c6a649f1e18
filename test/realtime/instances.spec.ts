import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventTail } from '../../src/platform/events/event-tail.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller } from '../support/http.js';
import { invited } from '../support/invites.js';
import type { Json } from '../support/json.js';
import { ownDatabase } from '../support/own-database.js';
import type { TestSocket } from '../support/socket.js';
import { Refused } from '../support/socket.js';
import { exchange, sessionBySso, ticketFor } from '../support/sso.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { PASSWORD, World } from '../support/world.js';

/** "sockets close within a second" */
const SECOND_MS = 1_000;
/** How often each thing is done, and how long it takes then in most cases: a look at the log is never far. */
const ROUNDS = 3;
const USUAL_MS = 600;
const MEMBERS = '/v1/workspace/members';

let database: TestDatabase;
/** Where things are done, and where they have to show: one database and nothing else between them. */
let here: World;
let there: World;
beforeAll(async () => {
  database = await ownDatabase();
  [here, there] = [await World.start({}, { database }), await World.start({}, { database })];
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await database.drop();
});

let desk: Desk;
beforeEach(async () => {
  desk = await here.desk();
});

const outcome = (answer: Answer<Json>) => [answer.status, answer.error?.code];

/** Until the other instance has just looked at the log: whatever happens now waits longest for the next look. */
async function justLooked(): Promise<void> {
  const tail = there.app.app.get(EventTail);
  await new Promise<void>(resolve => {
    const spy = jest.spyOn(tail, 'catchUp').mockImplementation(async () => {
      spy.mockRestore();
      await tail.catchUp();
      resolve();
    });
  });
}

/** Does it, waits for the end of the sockets, and says how long after the answer that came. */
async function endings(act: () => Promise<unknown>, sockets: TestSocket[]): Promise<{ codes: number[]; ms: number }> {
  await justLooked();
  await act();
  const answered = performance.now();
  const codes = await Promise.all(sockets.map(async socket => (await socket.end(3 * SECOND_MS)).code));
  return { codes, ms: performance.now() - answered };
}

/** Each within a second, and most of them sooner: that none took longer must not be luck. */
function expectSoon(times: number[]): void {
  const sorted = [...times].sort((a, b) => a - b);
  expect(sorted.at(-1)).toBeLessThan(SECOND_MS);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(USUAL_MS);
}

async function handshakeOf(opening: Promise<TestSocket>): Promise<number> {
  const refused = await opening.then(
    socket => socket.close(),
    (error: unknown) => error,
  );
  return refused instanceof Refused ? refused.status : 101;
}

interface Ended {
  /** The session that ends, as it is known. */
  session: Agent;
  act: () => Promise<unknown>;
}

/** What ends somebody's session, and how its sockets are told. */
const ENDS: [string, number, number, (member: Agent) => Promise<Ended>][] = [
  [
    'a sign-out',
    4502,
    401,
    async member => ({
      session: member,
      act: () => here.anyone.post('/v1/auth/logout', { refresh_token: member.refreshToken }),
    }),
  ],
  [
    'a password that is changed in another session',
    4502,
    401,
    async member => {
      const body = { email: member.email, password: PASSWORD };
      const other = here.agentOf((await here.anyone.post('/v1/auth/login', body)).data, member.email);
      const change = { old_password: PASSWORD, password: 'another one altogether' };
      return { session: member, act: () => other.api.post('/v1/auth/password', change) };
    },
  ],
  [
    'a password that is set by a mailed link',
    4502,
    401,
    async member => {
      await here.anyone.post('/v1/auth/password/forgot', { email: member.email });
      const mail = await eventually(() => here.app.mails.find(({ to }) => to === member.email));
      const reset_token = /reset=(\S+)/.exec(mail.text)?.[1];
      const body = { reset_token, password: 'another one altogether' };
      return { session: member, act: () => here.anyone.post('/v1/auth/password/reset', body) };
    },
  ],
  [
    'a refresh token that somebody else has used already',
    4502,
    401,
    async member => {
      const body = { email: member.email, password: PASSWORD, rotate: true };
      const first = (await here.anyone.post('/v1/auth/login', body)).data;
      const refresh = (refresh_token: string) => here.anyone.post('/v1/auth/refresh', { refresh_token });
      const second = (await refresh(first.refresh_token)).data;
      const third = here.agentOf((await refresh(second.refresh_token)).data, member.email);
      return { session: third, act: () => refresh(first.refresh_token) };
    },
  ],
  [
    'the deactivation of its member',
    4500,
    403,
    async member => ({
      session: member,
      act: () => desk.owner.api.post(`${MEMBERS}/${member.memberId}/deactivate`),
    }),
  ],
  [
    'the end of the key that has minted it',
    4502,
    401,
    async member => {
      const { id, key } = (await desk.owner.api.post('/v1/api-keys', { name: 'stolen' })).data;
      const session = here.agentOf(await sessionBySso(here, here.as(key), member.email), member.email);
      return { session, act: () => desk.owner.api.delete(`/v1/api-keys/${id}?end_sessions=true`) };
    },
  ],
];

describe.each(ENDS)('%s', (_what, code, handshake, prepare) => {
  it('is known to every other instance: its next request is refused there, its sockets close within a second', async () => {
    const conversation = await here.conversation(await here.visitor(desk));
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { session, act } = await prepare(await here.colleague(desk));
      const bystander = await here.colleague(desk);
      const sockets = [await there.agentSocket(session), await there.agentSocket(session, { room: conversation.id })];
      const spared = await there.agentSocket(bystander);
      const { codes, ms } = await endings(act, sockets);
      expect([round, codes]).toEqual([round, [code, code]]);
      times.push(ms);
      expect(outcome(await there.as(session.token).get('/v1/auth/me'))).toEqual([401, 'token_revoked']);
      const refreshed = await there.anyone.post('/v1/auth/refresh', { refresh_token: session.refreshToken });
      expect(outcome(refreshed)).toEqual([401, 'token_revoked']);
      expect(await handshakeOf(there.agentSocket(session))).toBe(handshake);
      await spared.settled();
      await spared.close();
    }
    expectSoon(times);
  });

  it('holds there for a request that comes right after the answer, before anything has been told', async () => {
    const { session, act } = await prepare(await here.colleague(desk));
    expect((await there.as(session.token).get('/v1/auth/me')).status).toBe(200);
    await act();
    const answers = await Promise.all([
      there.as(session.token).get('/v1/conversations'),
      there.as(session.token).post('/v1/auth/agent-token', {}),
      there.anyone.post('/v1/auth/refresh', { refresh_token: session.refreshToken }),
    ]);
    expect(answers.map(outcome)).toEqual(answers.map(() => [401, 'token_revoked']));
  });
});

describe('on the other instance', () => {
  it('a revoked key is refused by the very next request, and its tickets with it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, key } = (await desk.owner.api.post('/v1/api-keys', { name: 'backend' })).data;
      expect((await there.as(key).get('/v1/workspace')).status).toBe(200);
      const ticket = await ticketFor(there.as(key), desk.owner.email);
      await desk.owner.api.delete(`/v1/api-keys/${id}`);
      expect(outcome(await there.as(key).get('/v1/workspace'))).toEqual([401, 'invalid_token']);
      expect(outcome(await exchange(there, ticket))).toEqual([401, 'sso_ticket_invalid']);
    }
  });

  it('a revoked invite and a spent reset link are worth nothing', async () => {
    const invite = await invited(desk);
    await desk.owner.api.delete(`/v1/workspace/invites/${invite.id}`);
    const body = { invite_token: invite.token, name: 'G', password: PASSWORD };
    expect(outcome(await there.anyone.post('/v1/auth/register-user', body))).toEqual([401, 'invite_invalid']);
    await there.anyone.post('/v1/auth/password/forgot', { email: desk.owner.email });
    const mail = await eventually(() => there.app.mails.find(({ to }) => to === desk.owner.email));
    const reset = { reset_token: /reset=(\S+)/.exec(mail.text)?.[1], password: 'another one altogether' };
    expect((await here.anyone.post('/v1/auth/password/reset', reset)).status).toBe(200);
    expect(outcome(await there.anyone.post('/v1/auth/password/reset', reset))).toEqual([401, 'reset_invalid']);
  });

  it('a demotion holds for the next request', async () => {
    const admin = await here.colleague(desk, { role: 'admin' });
    const caller: Caller = there.as(admin.token);
    expect((await caller.get('/v1/api-keys')).status).toBe(200);
    await desk.owner.api.patch(`${MEMBERS}/${admin.memberId}`, { role: 'agent' });
    expect(outcome(await caller.get('/v1/api-keys'))).toEqual([403, 'forbidden']);
  });

  it('a scope that is cut holds for the next request, and within a second for the sockets', async () => {
    const shop = await here.channel(desk);
    const buyer = await here.visitor({ widgetToken: shop.widget_token as string });
    const theirs = await here.conversation(buyer);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const member = await here.colleague(desk);
      const [room, inbox] = [
        await there.agentSocket(member, { room: theirs.id as string }),
        await there.agentSocket(member),
      ];
      const cut = () => desk.owner.api.patch(`${MEMBERS}/${member.memberId}`, { channel_ids: [desk.channelId] });
      const { codes, ms } = await endings(cut, [room]);
      expect([round, codes]).toEqual([round, [4502]]);
      times.push(ms);
      expect((await there.as(member.token).get(`/v1/conversations/${theirs.id}`)).status).toBe(404);
      await inbox.next('member.updated');
      await there.as(buyer.token).post(`/v1/widget/conversations/${theirs.id}/messages`, { content: 'Not for you.' });
      await inbox.settled();
      const heard = inbox.of('message.created').map(({ data }) => data.message.content as string);
      expect(heard).not.toContain('Not for you.');
      await inbox.close();
    }
    expectSoon(times);
  });

  it.each([
    ['deleted', (path: string) => desk.owner.api.delete(path)],
    ['disabled', (path: string) => desk.owner.api.patch(path, { status: 'disabled' })],
  ])(
    'a channel that is %s takes no visitor any more: their requests at once, their sockets within a second',
    async (_how, end) => {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const shop = await here.channel(desk);
        const visitor: Visitor = await here.visitor({ widgetToken: shop.widget_token as string });
        const conversation = await here.conversation(visitor);
        const sockets = [
          await there.visitorSocket(visitor),
          await there.visitorSocket(visitor, { conv: conversation.id }),
        ];
        const spared = await there.visitorSocket(await here.visitor(desk));
        const { codes, ms } = await endings(() => end(`/v1/channels/${shop.id}`), sockets);
        expect([round, codes]).toEqual([round, [4502, 4502]]);
        times.push(ms);
        expect((await there.as(visitor.token).get('/v1/widget/contact')).status).toBe(401);
        expect(await handshakeOf(there.visitorSocket(visitor))).toBe(401);
        await spared.settled();
        await spared.close();
      }
    },
  );
});
