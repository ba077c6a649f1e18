import { describe, expect, it, jest } from '@jest/globals';
import { EventTailJob } from '../../src/platform/events/event-tail.job.js';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller } from '../support/http.js';
import { invited } from '../support/invites.js';
import type { Json } from '../support/json.js';
import type { TestSocket } from '../support/socket.js';
import { Refused } from '../support/socket.js';
import { exchange, sessionBySso, ticketFor } from '../support/sso.js';
import { desk, first as here, second as there } from '../support/two-instances-for-each.js';
import type { Agent, Visitor } from '../support/world.js';
import { PASSWORD } from '../support/world.js';

/** The guarantee: sockets close within a second. */
const MAX_MS = 1_000;
/** Rounds per case, and the bound for the median: the next read of the log is never far. */
const ROUNDS = 3;
const MEDIAN_MS = 600;
const MEMBERS = '/v1/workspace/members';

const outcome = (answer: Answer<Json>) => [answer.status, answer.error?.code];

/** Waits for a mail, which either instance may send. */
const mailTo = (email: string) =>
  eventually(() => [...here.app.mails, ...there.app.mails].find(({ to }) => to === email));

/** Resolves right after the other instance has read the log: an action now waits the longest for the next read. */
async function afterTailRead(): Promise<void> {
  const tail = there.app.app.get(EventTailJob);
  await new Promise<void>(resolve => {
    const spy = jest.spyOn(tail, 'catchUp').mockImplementation(async () => {
      spy.mockRestore();
      await tail.catchUp();
      resolve();
    });
  });
}

/** Performs the action and waits for the sockets to close. @returns their codes, and ms from response to last close */
async function closeTimes(
  act: () => Promise<unknown>,
  sockets: TestSocket[],
): Promise<{ codes: number[]; ms: number }> {
  await afterTailRead();
  await act();
  const answered = performance.now();
  const codes = await Promise.all(sockets.map(async socket => (await socket.end(3 * MAX_MS)).code));
  return { codes, ms: performance.now() - answered };
}

/** Asserts a bound for the maximum and a lower one for the median, so that the test does not pass by luck. */
function expectSoon(times: number[]): void {
  const sorted = [...times].sort((a, b) => a - b);
  expect(sorted.at(-1)).toBeLessThan(MAX_MS);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(MEDIAN_MS);
}

async function handshakeStatus(opening: Promise<TestSocket>): Promise<number> {
  const refused = await opening.then(
    socket => socket.close(),
    (error: unknown) => error,
  );
  return refused instanceof Refused ? refused.status : 101;
}

interface EndingCase {
  /** The session that `act` ends. */
  session: Agent;
  act: () => Promise<unknown>;
}

/** Ways to end a session: name, close code of its sockets, status of its next handshake, setup. */
const ENDS: [string, number, number, (member: Agent) => Promise<EndingCase>][] = [
  [
    'A sign-out',
    4502,
    401,
    async member => ({
      session: member,
      act: () => here.anyone.post('/v1/auth/logout', { refresh_token: member.refreshToken }),
    }),
  ],
  [
    'A password change in another session',
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
    'A password reset by a mailed link',
    4502,
    401,
    async member => {
      await here.anyone.post('/v1/auth/password/forgot', { email: member.email });
      const mail = await mailTo(member.email);
      const reset_token = /reset=(\S+)/.exec(mail.text)?.[1];
      const body = { reset_token, password: 'another one altogether' };
      return { session: member, act: () => here.anyone.post('/v1/auth/password/reset', body) };
    },
  ],
  [
    'Reuse of a refresh token',
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
    'The deactivation of its member',
    4500,
    403,
    async member => ({
      session: member,
      act: () => desk.owner.api.post(`${MEMBERS}/${member.memberId}/deactivate`),
    }),
  ],
  [
    'The deletion of the API key that created it',
    4502,
    401,
    async member => {
      const { id, key } = (await desk.owner.api.post('/v1/api-keys', { name: 'stolen' })).data;
      const session = here.agentOf(await sessionBySso(here, here.as(key), member.email), member.email);
      return { session, act: () => desk.owner.api.delete(`/v1/api-keys/${id}?end_sessions=true`) };
    },
  ],
];

describe.each(ENDS)('%s', (ending, code, handshake, prepare) => {
  it(`${ending} ends a session on the other instance: requests are refused, sockets close within a second`, async () => {
    const conversation = await here.conversation(await here.visitor(desk));
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { session, act } = await prepare(await here.colleague(desk));
      const bystander = await here.colleague(desk);
      const sockets = [await there.agentSocket(session), await there.agentSocket(session, { room: conversation.id })];
      const unaffected = await there.agentSocket(bystander);
      const { codes, ms } = await closeTimes(act, sockets);
      expect([round, codes]).toEqual([round, [code, code]]);
      times.push(ms);
      expect(outcome(await there.as(session.token).get('/v1/auth/me'))).toEqual([401, 'token_revoked']);
      const refreshed = await there.anyone.post('/v1/auth/refresh', { refresh_token: session.refreshToken });
      expect(outcome(refreshed)).toEqual([401, 'token_revoked']);
      expect(await handshakeStatus(there.agentSocket(session))).toBe(handshake);
      await unaffected.settled();
      await unaffected.close();
    }
    expectSoon(times);
  });

  it(`${ending} is effective on the other instance for a request sent right after the response`, async () => {
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

describe('Changes on one instance, seen from the other', () => {
  it('A deleted API key and its SSO tickets are refused by the other instance’s next request', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, key } = (await desk.owner.api.post('/v1/api-keys', { name: 'backend' })).data;
      expect((await there.as(key).get('/v1/workspace')).status).toBe(200);
      const ticket = await ticketFor(there.as(key), desk.owner.email);
      await desk.owner.api.delete(`/v1/api-keys/${id}`);
      expect(outcome(await there.as(key).get('/v1/workspace'))).toEqual([401, 'invalid_token']);
      expect(outcome(await exchange(there, ticket))).toEqual([401, 'sso_ticket_invalid']);
    }
  });

  it('A revoked invite and a used reset link are refused by the other instance', async () => {
    const invite = await invited(desk);
    await desk.owner.api.delete(`/v1/workspace/invites/${invite.id}`);
    const body = { invite_token: invite.token, name: 'G', password: PASSWORD };
    expect(outcome(await there.anyone.post('/v1/auth/register-user', body))).toEqual([401, 'invite_invalid']);
    await there.anyone.post('/v1/auth/password/forgot', { email: desk.owner.email });
    const mail = await mailTo(desk.owner.email);
    const reset = { reset_token: /reset=(\S+)/.exec(mail.text)?.[1], password: 'another one altogether' };
    expect((await here.anyone.post('/v1/auth/password/reset', reset)).status).toBe(200);
    expect(outcome(await there.anyone.post('/v1/auth/password/reset', reset))).toEqual([401, 'reset_invalid']);
  });

  it('A demoted admin’s next request to the other instance is forbidden (403)', async () => {
    const admin = await here.colleague(desk, { role: 'admin' });
    const caller: Caller = there.as(admin.token);
    expect((await caller.get('/v1/api-keys')).status).toBe(200);
    await desk.owner.api.patch(`${MEMBERS}/${admin.memberId}`, { role: 'agent' });
    expect(outcome(await caller.get('/v1/api-keys'))).toEqual([403, 'forbidden']);
  });

  it('A narrowed scope applies to the other instance’s next request, and within a second to its sockets', async () => {
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
      const { codes, ms } = await closeTimes(cut, [room]);
      expect([round, codes]).toEqual([round, [4502]]);
      times.push(ms);
      expect((await there.as(member.token).get(`/v1/conversations/${theirs.id}`)).status).toBe(404);
      await inbox.next('member.updated');
      await there.as(buyer.token).post(`/v1/widget/conversations/${theirs.id}/messages`, { content: 'Not for you.' });
      await inbox.settled();
      const received = inbox.of('message.created').map(({ data }) => data.message.content as string);
      expect(received).not.toContain('Not for you.');
      await inbox.close();
    }
    expectSoon(times);
  });

  it.each([
    ['deleted', (path: string) => desk.owner.api.delete(path)],
    ['disabled', (path: string) => desk.owner.api.patch(path, { status: 'disabled' })],
  ])(
    'Visitors of a %s channel lose their requests on the other instance at once, and their sockets within a second',
    async (_change, end) => {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const shop = await here.channel(desk);
        const visitor: Visitor = await here.visitor({ widgetToken: shop.widget_token as string });
        const conversation = await here.conversation(visitor);
        const sockets = [
          await there.visitorSocket(visitor),
          await there.visitorSocket(visitor, { conv: conversation.id }),
        ];
        const unaffected = await there.visitorSocket(await here.visitor(desk));
        const { codes, ms } = await closeTimes(() => end(`/v1/channels/${shop.id}`), sockets);
        expect([round, codes]).toEqual([round, [4502, 4502]]);
        times.push(ms);
        expect((await there.as(visitor.token).get('/v1/widget/contact')).status).toBe(401);
        expect(await handshakeStatus(there.visitorSocket(visitor))).toBe(401);
        await unaffected.settled();
        await unaffected.close();
      }
    },
  );
});
