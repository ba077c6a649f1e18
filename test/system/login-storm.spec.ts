import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RateLimited } from '../../src/kernel/errors.js';
import { MembersService } from '../../src/modules/members/index.js';
import { PasswordHashingService } from '../../src/modules/users/password-hashing.service.js';
import { eventually } from '../support/eventually.js';
import { invited, someEmail } from '../support/invites.js';
import { PausedComparisons, threadOf } from '../support/paused-comparisons.js';
import { asRequestFrom } from '../support/current-request.js';
import { race } from '../support/race.js';
import type { Agent, Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const WRONG = 'not the right password';

let world: World;
let desk: Desk;
let agent: Agent;
beforeAll(async () => {
  world = await World.start();
  desk = await world.desk();
  agent = await world.colleague(desk);
});
afterAll(() => world.stop());

function hasherOf(instance: World): PasswordHashingService {
  return instance.app.app.get(PasswordHashingService, { strict: false });
}

function login(instance: World, email: string, password: string, headers: Record<string, string> = {}) {
  return instance.anyone.post('/v1/auth/login', { email, password }, headers);
}

/** Returns true if the queue refuses one more password from this address. */
function isFull(instance: World, address: string, principal = unknownEmail()): boolean {
  try {
    asRequestFrom(address, () => hasherOf(instance).assertCapacity(principal));
    return false;
  } catch (error) {
    if (error instanceof RateLimited) return true;
    throw error;
  }
}

function connectionsOf({ app: { server } }: World): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

const unknownEmail = () => `${unique('unknown')}@example.com`;

describe('Response times of the login', () => {
  it('A login compares one password of the same cost for an unknown e-mail, a user without a password and a wrong password', async () => {
    const costly = await World.start({ BCRYPT_COST: '10' }, { database: world.app.database });
    const known = `${unique('known')}@example.com`;
    const body = { workspace_name: 'Known', name: 'K', email: known, password: PASSWORD };
    expect((await costly.anyone.post('/v1/auth/register', body)).status).toBe(201);
    const passwordless = someEmail();
    const made = await (await costly.apiKey(desk)).post('/v1/workspace/members', { name: 'P', email: passwordless });
    expect(made.status).toBe(201);
    const compared = jest.spyOn(threadOf(hasherOf(costly)), 'compare');
    for (const email of [known, unknownEmail(), passwordless]) {
      expect((await login(costly, email, WRONG)).error.code).toBe('invalid_credentials');
      expect(compared.mock.calls.splice(0)).toEqual([[WRONG, expect.stringMatching(/^\$2b\$10\$/)]]);
    }
    await costly.stop();
  });

  it('A request for a reset link takes as long for an unknown e-mail as for a known one', async () => {
    const requests = [agent.email, unknownEmail()].map(
      email => () => world.anyone.post('/v1/auth/password/forgot', { email }),
    );
    const minimum = [Infinity, Infinity];
    const ratio = () => (minimum[1] ?? Number.NaN) / (minimum[0] ?? Number.NaN);
    const isEven = () => ratio() > 1 / 3 && ratio() < 3;
    // other load only adds to times: more rounds bring the minimum nearer to the true time
    for (let round = 0; round < 25 || (round < 250 && !isEven()); round += 1) {
      for (const [index, send] of requests.entries()) {
        const startedAt = performance.now();
        await send();
        minimum[index] = Math.min(minimum[index] ?? Infinity, performance.now() - startedAt);
      }
    }
    expect(ratio()).toBeGreaterThan(1 / 3);
    expect(ratio()).toBeLessThan(3);
  });

  it('A login compares one password and looks up memberships, whether or not the e-mail is known', async () => {
    // a new instance has no background work left from earlier requests
    const quiet = await World.start({}, { database: world.app.database });
    const steps = [
      jest.spyOn(hasherOf(quiet), 'matches'),
      jest.spyOn(quiet.app.app.get(MembersService, { strict: false }), 'findMemberships'),
    ];
    for (const email of [agent.email, unknownEmail()]) {
      expect((await login(quiet, email, WRONG)).error.code).toBe('invalid_credentials');
      expect(steps.map(step => step.mock.calls.length)).toEqual([1, 1]);
      steps.forEach(step => step.mockClear());
    }
    await quiet.stop();
  });
});

describe('While the password queue is full', () => {
  let full: World;
  let comparisons: PausedComparisons;
  beforeAll(async () => {
    full = await World.start({}, { database: world.app.database });
    comparisons = new PausedComparisons(hasherOf(full));
    let refused = false;
    while (!refused) {
      asRequestFrom('127.0.0.1', () =>
        hasherOf(full)
          .matches('a password', null, unknownEmail())
          .catch(() => (refused = true)),
      );
      await new Promise(resolve => setImmediate(resolve));
    }
  });
  afterAll(() => {
    comparisons.releaseAll();
    return full.stop();
  });

  it('With a full password queue, every route that hashes a password is refused first (429), known account or not', async () => {
    const { token } = await invited(desk);
    const registration = { workspace_name: 'W', name: 'N', email: someEmail(), password: PASSWORD };
    const answers = await Promise.all([
      login(full, agent.email, PASSWORD),
      login(full, agent.email, WRONG),
      login(full, unknownEmail(), WRONG),
      full.anyone.post('/v1/auth/login', { email: 7 }),
      full.anyone.post('/v1/auth/register', registration),
      full.anyone.post('/v1/auth/register-user', { invite_token: token, name: 'G', password: PASSWORD }),
      full.anyone.post('/v1/auth/password/reset', { reset_token: 'rst_x', password: PASSWORD }),
      full.as(agent.token).post('/v1/auth/password', { old_password: PASSWORD, password: WRONG }),
    ]);
    for (const { status, error, headers } of answers) {
      expect([status, error?.code, headers['retry-after']]).toEqual([429, 'rate_limited', '5']);
    }
  });

  it('With a full password queue, refreshes, key sessions, messages and reset requests still succeed', async () => {
    const visitor = await full.visitor(desk);
    const { id } = await full.conversation(visitor);
    const owner = full.as(desk.owner.token);
    const key = full.as((await world.apiKey(desk)).token);
    const answers = [
      await owner.post(`/v1/conversations/${id}/messages`, { content: 'Hello' }),
      await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Hello' }),
      await full.anyone.post('/v1/auth/refresh', { refresh_token: desk.owner.refreshToken }),
      await key.post('/v1/auth/agent-token', { email: desk.owner.email }),
      await full.anyone.post('/v1/auth/password/forgot', { email: unknownEmail() }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200]);
    expect(isFull(full, '127.0.0.1')).toBe(true);
  });
});

describe('Clients that hang up while their password is queued', () => {
  it('A client that hangs up frees its slot in the password queue at once, and its password is not compared', async () => {
    const busy = await World.start({}, { database: world.app.database });
    const comparisons = new PausedComparisons(hasherOf(busy));
    const hangUp = new AbortController();
    const flood = race(60, () =>
      fetch(`${busy.app.url}/v1/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: unknownEmail(), password: WRONG }),
        signal: hangUp.signal,
      }),
    ).catch((error: unknown) => error);
    await eventually(() => (isFull(busy, '127.0.0.1') && comparisons.hashes.length > 0) || undefined, 20_000);
    hangUp.abort();
    await flood;
    await eventually(async () => (await connectionsOf(busy)) === 0 || undefined, 20_000);
    expect(isFull(busy, '127.0.0.1')).toBe(false);
    comparisons.releaseAll();
    expect((await login(busy, agent.email, PASSWORD)).status).toBe(200);
    // the comparison that ran when its client hung up, and that of the login
    expect(comparisons.hashes).toHaveLength(2);
    await busy.stop();
  });
});

describe('An account that logs in with its own password as fast as it can', () => {
  it('An account that floods with its own right password delays the login of another workspace by one password', async () => {
    const busy = await World.start({ TRUST_PROXY: '1' }, { database: world.app.database });
    const other = await world.desk();
    const hasher = hasherOf(busy);
    const comparisons = new PausedComparisons(hasher);
    const asked = jest.spyOn(hasher, 'matches');
    let finished = false;
    const flood = race(60, async () => {
      while (!finished) await login(busy, agent.email, PASSWORD, { 'X-Forwarded-For': '198.51.100.1' });
    });
    await eventually(() => isFull(busy, '198.51.100.1', agent.email) || undefined, 20_000);
    for (let time = 0; time < 5; time += 1) {
      asked.mockClear();
      const answer = login(busy, other.owner.email, PASSWORD, { 'X-Forwarded-For': '203.0.113.1' });
      const hash = await eventually(() => asked.mock.calls.find(call => call[2] === other.owner.email)?.[1], 20_000);
      const before = comparisons.hashes.length;
      while (!comparisons.hashes.includes(hash ?? '', before)) {
        const started = comparisons.hashes.length;
        comparisons.releaseOne();
        await eventually(() => comparisons.hashes.length > started || undefined, 20_000);
      }
      expect(comparisons.hashes.indexOf(hash ?? '', before) - before).toBeLessThanOrEqual(1);
      comparisons.releaseOne();
      expect((await answer).status).toBe(200);
    }
    finished = true;
    comparisons.releaseAll();
    await flood;
    await busy.stop();
  });
});

describe('A password reset link', () => {
  it('A made-up reset token is refused before a password is hashed', async () => {
    const hashed = jest.spyOn(hasherOf(world), 'hash');
    const reset = { reset_token: 'rst_made-up', password: PASSWORD };
    const answer = await world.anyone.post('/v1/auth/password/reset', reset);
    expect([answer.status, answer.error.code, hashed.mock.calls.length]).toEqual([401, 'reset_invalid', 0]);
    hashed.mockRestore();
  });
});

describe('A password hash in progress', () => {
  it('Requests are answered while a password is being hashed', async () => {
    const costly = await World.start({ BCRYPT_COST: '12' }, { database: world.app.database });
    let done = false;
    const hash = hasherOf(costly)
      .hash('a password', unknownEmail())
      .then(() => (done = true));
    // a hash on the main thread would be done before the first answer
    const answer = await costly.as(desk.owner.token).get('/v1/workspace');
    expect([answer.status, done]).toEqual([200, false]);
    await hash;
    await costly.stop();
  });
});

describe('A flood of logins from one address', () => {
  it('A flood of failed logins from one address gets 429 with Retry-After, and no more passwords are compared', async () => {
    const RATE_LIMITS = 'login_address=5/300,register=1000/60';
    const limited = await World.start({ RATE_LIMITS, TRUST_PROXY: '1' }, { database: world.app.database });
    const [here, elsewhere] = [{ 'X-Forwarded-For': '10.9.8.7' }, { 'X-Forwarded-For': '10.9.8.8' }];
    for (let failure = 1; failure <= 5; failure += 1) {
      expect((await login(limited, unknownEmail(), WRONG, here)).status).toBe(401);
    }
    const hashed = jest.spyOn(hasherOf(limited), 'matches');
    const flood = await race(100, index => login(limited, index === 99 ? agent.email : unknownEmail(), WRONG, here));
    for (const { status, headers } of flood) {
      expect([status, headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual([429, '5', '0']);
      expect(headers['retry-after']).toBe(headers['ratelimit-reset']);
    }
    expect(hashed).not.toHaveBeenCalled();
    expect((await login(limited, desk.owner.email, PASSWORD, elsewhere)).status).toBe(200);
    await limited.stop();
  });
});
