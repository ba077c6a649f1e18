import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { heldRow, lockedRow } from '../support/held-row.js';
import type { Caller } from '../support/http.js';
import { countsOf, race } from '../support/race.js';
import { exchange, sessionsOf, ticketFor } from '../support/sso.js';
import type { Agent, Desk } from '../support/world.js';
import { World } from '../support/world.js';

/** The same seed races in the same way: SSO_SEED=… repeats a run. */
const SEED = Number(process.env.SSO_SEED ?? 89_751);
const ROUNDS = 50;
const RIVALS = 24;

/** Two instances of the service on one database; nothing but that tells one what the other has done. */
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

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** As `exchange`, on a connection that is kept: fast enough to meet. */
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

describe('one ticket', () => {
  it(`"SSO exchange | Succeeds exactly once per ticket": of ${RIVALS} at once on two instances, ${ROUNDS} times`, async () => {
    const before = await sessionsOf(here, agent.memberId);
    for (let round = 0; round < ROUNDS; round += 1) {
      const seed = SEED + round;
      const next = numbers(seed);
      const ticket = await ticketFor(key, agent.email);
      const statuses = await race(RIVALS, () =>
        attempt(next() < 0.5 ? here : there, ticket, next() < 0.5 ? 0 : Math.floor(next() * 6)),
      );
      expect({ seed, ...countsOf(statuses) }).toEqual({ seed, 200: 1, 401: RIVALS - 1 });
    }
    expect(await sessionsOf(here, agent.memberId)).toBe(before + ROUNDS);
  }, 120_000);

  it('is good on the instance that did not issue it, and spent on every other then', async () => {
    const ticket = await ticketFor(key, agent.email);
    const session = await exchange(there, ticket);
    expect(session.status).toBe(200);
    for (const world of [here, there]) expect((await exchange(world, ticket)).status).toBe(401);
    expect(await statusOf(here, session.data.token)).toBe(200);
  });

  it('dies on every instance with its key, and with its member, at once', async () => {
    const [first, second] = [await ticketFor(key, agent.email), await ticketFor(key, desk.owner.email)];
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    expect((await exchange(there, first)).status).toBe(401);
    await desk.owner.api.delete(`/v1/api-keys/${keyId}`);
    expect((await exchange(there, second)).status).toBe(401);
    const late = await there.as(key.token).post('/v1/auth/sso/ticket', { email: desk.owner.email });
    expect(late.status).toBe(401);
  });
});

describe('whoever comes while the key ends', () => {
  const ENDS = [
    ['being revoked', 'revoked_at = clock_timestamp()'],
    ['coming to its end', `expires_at = '2026-01-01'`],
  ] as const;

  it.each(ENDS)('or %s, with a ticket waits, and finds it dead', async (_what, change) => {
    const ticket = await ticketFor(key, agent.email);
    const held = await heldRow(here.app.database, 'api_key', keyId, change);
    const exchanged = exchange(there, ticket);
    await held.awaited();
    await held.commit();
    expect((await exchanged).status).toBe(401);
    expect(await sessionsOf(here, agent.memberId)).toBe(1);
  });

  it.each(ENDS)('or %s, with the key waits for its session, and gets none', async (_what, change) => {
    const held = await heldRow(here.app.database, 'api_key', keyId, change);
    const minted = there.as(key.token).post('/v1/auth/agent-token', { email: agent.email });
    await held.awaited();
    await held.commit();
    const refused = await minted;
    expect([refused.status, refused.error.code]).toEqual([401, 'invalid_token']);
  });

  it.each(['a ticket', 'the key'])(
    'with %s and is first has a session that the revocation finds and ends',
    async way => {
      const ticket = await ticketFor(key, agent.email);
      const held = await lockedRow(here.app.database, 'user_account', await userIdOf(agent.memberId));
      const coming =
        way === 'a ticket'
          ? exchange(there, ticket)
          : there.as(key.token).post('/v1/auth/agent-token', { email: agent.email });
      await held.awaited();
      const revoked = desk.owner.api.delete(`/v1/api-keys/${keyId}?end_sessions=true`);
      await held.awaited(2);
      await held.commit();
      const [session, revocation] = await Promise.all([coming, revoked]);
      expect([session.status, revocation.status]).toEqual([200, 200]);
      expect(await statusOf(there, session.data.token)).toBe(401);
    },
  );
});

describe('whoever comes while the member is being deactivated', () => {
  it('with a ticket waits, and finds it dead; a new one is not to be had, nor a session by key', async () => {
    const ticket = await ticketFor(key, agent.email);
    const held = await heldRow(here.app.database, 'member', agent.memberId, `status = 'deactivated'`);
    const coming = [
      exchange(there, ticket),
      there.as(key.token).post('/v1/auth/sso/ticket', { email: agent.email }),
      there.as(key.token).post('/v1/auth/agent-token', { email: agent.email }),
    ];
    await held.awaited(3);
    await held.commit();
    const answers = await Promise.all(coming);
    expect(answers.map(({ status, error }) => [status, error.code])).toEqual([
      [401, 'sso_ticket_invalid'],
      [404, 'member_not_found'],
      [404, 'member_not_found'],
    ]);
    expect(await sessionsOf(here, agent.memberId)).toBe(1);
  });

  it('and is first has a session that the deactivation finds and ends', async () => {
    const ticket = await ticketFor(key, agent.email);
    const held = await lockedRow(here.app.database, 'user_account', await userIdOf(agent.memberId));
    const exchanged = exchange(there, ticket);
    await held.awaited();
    const deactivated = desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    await held.awaited(2);
    await held.commit();
    const [session, deactivation] = await Promise.all([exchanged, deactivated]);
    expect([session.status, deactivation.status]).toEqual([200, 200]);
    expect(await statusOf(there, session.data.token)).toBe(401);
  });

  it('in whatever order it goes, has nothing in the end, and nobody meets a fault of ours', async () => {
    for (let round = 0; round < 10; round += 1) {
      const next = numbers(SEED + round);
      const tickets = await Promise.all([1, 2, 3].map(() => ticketFor(key, agent.email)));
      const [deactivation, ...statuses] = await Promise.all([
        desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`).then(({ status }) => status),
        ...tickets.map(ticket => attempt(next() < 0.5 ? here : there, ticket, Math.floor(next() * 10))),
      ]);
      expect(deactivation).toBe(200);
      expect([SEED + round, statuses.filter(status => status !== 200 && status !== 401)]).toEqual([SEED + round, []]);
      const living = await here.app.database.query('SELECT 1 FROM session WHERE member_id = $1 AND ended_at IS NULL', [
        agent.memberId,
      ]);
      expect([SEED + round, living]).toEqual([SEED + round, []]);
      await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/reactivate`);
      for (const ticket of tickets) expect((await exchange(there, ticket)).status).toBe(401);
    }
  }, 60_000);
});
