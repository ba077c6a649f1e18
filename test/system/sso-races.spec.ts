import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { lockRowByUpdate, lockRow } from '../support/blocking-transaction.js';
import type { Caller } from '../support/http.js';
import { countsOf, race } from '../support/race.js';
import { exchange, sessionsOf, ticketFor } from '../support/sso.js';
import type { Agent, Desk } from '../support/world.js';
import { World } from '../support/world.js';

/** Seed of the random delays. Set SSO_SEED to repeat a run. */
const SEED = Number(process.env.SSO_SEED ?? 89_751);
const ROUNDS = 50;
const RIVALS = 24;

/** Two instances of the service that share nothing but the database. */
let here: World;
let there: World;
beforeAll(async () => {
  here = await World.start();
  there = await World.start({}, { database: here.app.database });
});
afterAll(async () => {
  await there.stop();
  await here.stop();
});

let desk: Desk;
let key: Caller;
let keyId: string;
let agent: Agent;
beforeEach(async () => {
  desk = await here.desk();
  const made = await desk.owner.api.post('/v1/api-keys', { name: 'backend' });
  keyId = made.data.id;
  key = here.as(made.data.key);
  agent = await here.colleague(desk);
});

/** Seeded random numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Exchanges the ticket over a kept-alive connection, fast enough for the attempts to race. */
async function attempt(world: World, ticket: string, delay: number): Promise<number> {
  if (delay > 0) await new Promise(resolve => setTimeout(resolve, delay));
  const response = await fetch(`${world.app.url}/v1/auth/sso/exchange`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ticket }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function userIdOf(memberId: string): Promise<string> {
  const rows = await here.app.database.query<{ user_id: string }>('SELECT user_id FROM member WHERE id = $1', [
    memberId,
  ]);
  return rows[0]?.user_id ?? '';
}

const statusOf = async (world: World, token: string) => (await world.as(token).get('/v1/auth/me')).status;

describe('One SSO ticket', () => {
  it(`"SSO exchange | Succeeds exactly once per ticket": one of ${RIVALS} racing on two instances, ${ROUNDS} times`, async () => {
    const before = await sessionsOf(here, agent.memberId);
    for (let round = 0; round < ROUNDS; round += 1) {
      const seed = SEED + round;
      const next = randomNumbers(seed);
      const ticket = await ticketFor(key, agent.email);
      const statuses = await race(RIVALS, () =>
        attempt(next() < 0.5 ? here : there, ticket, next() < 0.5 ? 0 : Math.floor(next() * 6)),
      );
      expect({ seed, ...countsOf(statuses) }).toEqual({ seed, 200: 1, 401: RIVALS - 1 });
    }
    expect(await sessionsOf(here, agent.memberId)).toBe(before + ROUNDS);
  }, 120_000);

  it('An SSO ticket is accepted by the instance that did not issue it, and then refused by both (401)', async () => {
    const ticket = await ticketFor(key, agent.email);
    const session = await exchange(there, ticket);
    expect(session.status).toBe(200);
    for (const world of [here, there]) expect((await exchange(world, ticket)).status).toBe(401);
    expect(await statusOf(here, session.data.token)).toBe(200);
  });

  it('Deactivating the member or revoking the key invalidates an SSO ticket at once on every instance', async () => {
    const [first, second] = [await ticketFor(key, agent.email), await ticketFor(key, desk.owner.email)];
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    expect((await exchange(there, first)).status).toBe(401);
    await desk.owner.api.delete(`/v1/api-keys/${keyId}`);
    expect((await exchange(there, second)).status).toBe(401);
    const late = await there.as(key.token).post('/v1/auth/sso/ticket', { email: desk.owner.email });
    expect(late.status).toBe(401);
  });
});

describe('Sign-ins that race with the end of the API key', () => {
  const ENDS = [
    ['being revoked', 'revoked_at = clock_timestamp()'],
    ['expiring', `expires_at = '2026-01-01'`],
  ] as const;

  it.each(ENDS)(
    'An exchange that races with the key %s waits, and its ticket is refused (401)',
    async (_case, change) => {
      const ticket = await ticketFor(key, agent.email);
      const lock = await lockRowByUpdate(here.app.database, 'api_key', keyId, change);
      const exchanged = exchange(there, ticket);
      await lock.awaited();
      await lock.commit();
      expect((await exchanged).status).toBe(401);
      expect(await sessionsOf(here, agent.memberId)).toBe(1);
    },
  );

  it.each(ENDS)(
    'A session request that races with its key %s waits, and is refused (401 invalid_token)',
    async (_case, change) => {
      const lock = await lockRowByUpdate(here.app.database, 'api_key', keyId, change);
      const minted = there.as(key.token).post('/v1/auth/agent-token', { email: agent.email });
      await lock.awaited();
      await lock.commit();
      const refused = await minted;
      expect([refused.status, refused.error.code]).toEqual([401, 'invalid_token']);
    },
  );

  it.each(['a ticket', 'the key'])(
    'A session opened with %s just before the key is revoked is ended by the revocation',
    async way => {
      const ticket = await ticketFor(key, agent.email);
      const lock = await lockRow(here.app.database, 'user_account', await userIdOf(agent.memberId));
      const request =
        way === 'a ticket'
          ? exchange(there, ticket)
          : there.as(key.token).post('/v1/auth/agent-token', { email: agent.email });
      await lock.awaited();
      const revoked = desk.owner.api.delete(`/v1/api-keys/${keyId}?end_sessions=true`);
      await lock.awaited(2);
      await lock.commit();
      const [session, revocation] = await Promise.all([request, revoked]);
      expect([session.status, revocation.status]).toEqual([200, 200]);
      expect(await statusOf(there, session.data.token)).toBe(401);
    },
  );
});

describe('Sign-ins that race with the deactivation of the member', () => {
  it('An exchange, a ticket and a session request that race with the member’s deactivation wait, and are refused', async () => {
    const ticket = await ticketFor(key, agent.email);
    const lock = await lockRowByUpdate(here.app.database, 'member', agent.memberId, `status = 'deactivated'`);
    const requests = [
      exchange(there, ticket),
      there.as(key.token).post('/v1/auth/sso/ticket', { email: agent.email }),
      there.as(key.token).post('/v1/auth/agent-token', { email: agent.email }),
    ];
    await lock.awaited(3);
    await lock.commit();
    const answers = await Promise.all(requests);
    expect(answers.map(({ status, error }) => [status, error.code])).toEqual([
      [401, 'sso_ticket_invalid'],
      [404, 'member_not_found'],
      [404, 'member_not_found'],
    ]);
    expect(await sessionsOf(here, agent.memberId)).toBe(1);
  });

  it('A session opened just before its member is deactivated is ended by the deactivation', async () => {
    const ticket = await ticketFor(key, agent.email);
    const lock = await lockRow(here.app.database, 'user_account', await userIdOf(agent.memberId));
    const exchanged = exchange(there, ticket);
    await lock.awaited();
    const deactivated = desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    await lock.awaited(2);
    await lock.commit();
    const [session, deactivation] = await Promise.all([exchanged, deactivated]);
    expect([session.status, deactivation.status]).toEqual([200, 200]);
    expect(await statusOf(there, session.data.token)).toBe(401);
  });

  it('Exchanges that race with a deactivation leave no session in any order, and answer only 200 or 401', async () => {
    for (let round = 0; round < 10; round += 1) {
      const next = randomNumbers(SEED + round);
      const tickets = await Promise.all([1, 2, 3].map(() => ticketFor(key, agent.email)));
      const [deactivation, ...statuses] = await Promise.all([
        desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`).then(({ status }) => status),
        ...tickets.map(ticket => attempt(next() < 0.5 ? here : there, ticket, Math.floor(next() * 10))),
      ]);
      expect(deactivation).toBe(200);
      expect([SEED + round, statuses.filter(status => status !== 200 && status !== 401)]).toEqual([SEED + round, []]);
      const openSessions = await here.app.database.query(
        'SELECT 1 FROM session WHERE member_id = $1 AND ended_at IS NULL',
        [agent.memberId],
      );
      expect([SEED + round, openSessions]).toEqual([SEED + round, []]);
      await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/reactivate`);
      for (const ticket of tickets) expect((await exchange(there, ticket)).status).toBe(401);
    }
  });
});
