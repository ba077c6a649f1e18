import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RateLimited } from '../../src/kernel/errors.js';
import { MembersService } from '../../src/modules/members/index.js';
import { BcryptThread } from '../../src/modules/users/bcrypt-thread.js';
import { PasswordHashingService } from '../../src/modules/users/password-hashing.service.js';
import { eventually } from '../support/eventually.js';
import { invited, someEmail } from '../support/invites.js';
import type { Answer } from '../support/http.js';
import { asRequestFrom } from '../support/current-request.js';
import { countsOf, race } from '../support/race.js';
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

const nobody = () => `${unique('nobody')}@example.com`;

describe('Response times of the login', () => {
  /**
   * The minimum time of each request over many rounds, as a ratio to the first request's. Other load only adds to
   * times.
   */
  async function timeRatios(rounds: number, requests: (() => Promise<Answer<unknown>>)[]): Promise<number[]> {
    const minimum = requests.map(() => Infinity);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, send] of requests.entries()) {
        const startedAt = performance.now();
        await send();
        minimum[index] = Math.min(minimum[index] ?? Infinity, performance.now() - startedAt);
      }
    }
    return minimum.map(time => time / (minimum[0] ?? Number.NaN));
  }

  it('A login takes as long for an unknown e-mail or a user without a password as for a wrong password', async () => {
    const slow = await World.start({ BCRYPT_COST: '10' }, { database: world.app.database });
    const known = `${unique('known')}@example.com`;
    const body = { workspace_name: 'Known', name: 'K', email: known, password: PASSWORD };
    expect((await slow.anyone.post('/v1/auth/register', body)).status).toBe(201);
    const passwordless = someEmail();
    const made = await (await slow.apiKey(desk)).post('/v1/workspace/members', { name: 'P', email: passwordless });
    expect(made.status).toBe(201);
    const wrong = () => login(slow, known, WRONG);
    const ratios = await timeRatios(11, [
      wrong,
      () => login(slow, nobody(), WRONG),
      () => login(slow, passwordless, WRONG),
    ]);
    await slow.stop();
    // without the comparison, a request would take a tenth of the time
    for (const ratio of ratios) {
      expect(ratio).toBeGreaterThan(0.5);
      expect(ratio).toBeLessThan(2);
    }
  });

  it('A request for a reset link takes as long for an unknown e-mail as for a known one', async () => {
    const forgot = (email: string) => world.anyone.post('/v1/auth/password/forgot', { email });
    const [, ratio] = await timeRatios(25, [() => forgot(agent.email), () => forgot(nobody())]);
    expect(ratio).toBeGreaterThan(1 / 3);
    expect(ratio).toBeLessThan(3);
  });

  it('A login compares one password and looks up memberships, whether or not the e-mail is known', async () => {
    // a new instance has no background work left from earlier requests
    const quiet = await World.start({}, { database: world.app.database });
    const steps = [
      jest.spyOn(hasherOf(quiet), 'matches'),
      jest.spyOn(quiet.app.app.get(MembersService, { strict: false }), 'findMemberships'),
    ];
    for (const email of [agent.email, nobody()]) {
      expect((await login(quiet, email, WRONG)).error.code).toBe('invalid_credentials');
      expect(steps.map(step => step.mock.calls.length)).toEqual([1, 1]);
      steps.forEach(step => step.mockClear());
    }
    await quiet.stop();
  });
});

describe('While the password queue is full', () => {
  let full: World;
  beforeAll(async () => {
    // each comparison takes seconds: the queue does not move during these tests
    full = await World.start({ BCRYPT_COST: '15' }, { database: world.app.database });
    let refused = false;
    while (!refused) {
      // one hash is refused at once; the queued ones are dropped with the instance
      asRequestFrom('127.0.0.1', () =>
        hasherOf(full)
          .hash('a password', nobody())
          .catch(() => (refused = true)),
      );
      await new Promise(resolve => setImmediate(resolve));
    }
  });
  afterAll(() => full.stop());

  it('With a full password queue, every route that hashes a password is refused first (429), known account or not', async () => {
    const { token } = await invited(desk);
    const registration = { workspace_name: 'W', name: 'N', email: someEmail(), password: PASSWORD };
    const answers = await Promise.all([
      login(full, agent.email, PASSWORD),
      login(full, agent.email, WRONG),
      login(full, nobody(), WRONG),
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
      await full.anyone.post('/v1/auth/password/forgot', { email: nobody() }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200]);
    expect(() => asRequestFrom('127.0.0.1', () => hasherOf(full).assertCapacity(nobody()))).toThrow(RateLimited);
  });
});

describe('Clients that hang up while their password is queued', () => {
  const isFull = (hasher: PasswordHashingService): boolean => {
    try {
      asRequestFrom('127.0.0.1', () => hasher.assertCapacity(nobody()));
      return false;
    } catch {
      return true;
    }
  };

  it('A client that hangs up frees its slot in the password queue at once, and its password is not compared', async () => {
    // each comparison takes a second: forty would exceed the time limit of the test
    const slow = await World.start({ BCRYPT_COST: '14' }, { database: world.app.database });
    const hasher = hasherOf(slow);
    const compared = jest.spyOn(BcryptThread.prototype, 'compare');
    const hangUp = new AbortController();
    const flood = race(60, () =>
      fetch(`${slow.app.url}/v1/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: nobody(), password: WRONG }),
        signal: hangUp.signal,
      }),
    ).catch((error: unknown) => error);
    // the first comparison waits for the hash of the decoy password, on a thread of low priority
    await eventually(() => (isFull(hasher) && compared.mock.calls.length > 0) || undefined, 20_000);
    hangUp.abort();
    await flood;
    await eventually(() => !isFull(hasher) || undefined);
    const before = compared.mock.calls.length;
    expect((await login(slow, agent.email, PASSWORD)).status).toBe(200);
    expect(compared.mock.calls.length - before).toBe(1);
    compared.mockRestore();
    await slow.stop();
  });
});

describe('An account that logs in with its own password as fast as it can', () => {
  it('An account that floods with its own right password delays the login of another workspace by one password', async () => {
    const slow = await World.start({ BCRYPT_COST: '12', TRUST_PROXY: '1' }, { database: world.app.database });
    const other = await world.desk();
    const compared = jest.spyOn(BcryptThread.prototype, 'compare');
    let finished = false;
    const flood = race(60, async () => {
      while (!finished) await login(slow, agent.email, PASSWORD, { 'X-Forwarded-For': '198.51.100.1' });
    });
    const full = () => asRequestFrom('198.51.100.1', () => hasherOf(slow).assertCapacity(agent.email));
    await eventually(() => {
      try {
        return void full();
      } catch {
        return true;
      }
    }, 20_000);
    const waitedFor: number[] = [];
    const hasher = hasherOf(slow);
    const matches = hasher.matches.bind(hasher);
    jest.spyOn(hasher, 'matches').mockImplementation(async (password, hash, principal) => {
      const before = compared.mock.calls.length;
      const answer = await matches(password, hash, principal);
      if (principal === other.owner.email) waitedFor.push(compared.mock.calls.length - before);
      return answer;
    });
    const statuses: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      statuses.push((await login(slow, other.owner.email, PASSWORD, { 'X-Forwarded-For': '203.0.113.1' })).status);
    }
    finished = true;
    expect(statuses).toEqual(Array(5).fill(200));
    // its own comparison, and one that starts before it is recorded; one already running is part of `before`
    expect(Math.max(...waitedFor)).toBeLessThanOrEqual(2);
    await flood;
    compared.mockRestore();
    await slow.stop();
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
    const slow = await World.start({ BCRYPT_COST: '14' }, { database: world.app.database });
    let done = false;
    const hash = hasherOf(slow)
      .hash('a password', nobody())
      .then(() => (done = true));
    const answers = await race(20, () => slow.as(desk.owner.token).get('/v1/workspace'));
    expect([countsOf(answers.map(({ status }) => status)), done]).toEqual([{ 200: 20 }, false]);
    await hash;
    await slow.stop();
  });
});

describe('A flood of logins from one address', () => {
  it('A flood of failed logins from one address gets 429 with Retry-After, and no more passwords are compared', async () => {
    const RATE_LIMITS = 'login_address=5/300,register=1000/60';
    const limited = await World.start({ RATE_LIMITS, TRUST_PROXY: '1' }, { database: world.app.database });
    const [here, elsewhere] = [{ 'X-Forwarded-For': '10.9.8.7' }, { 'X-Forwarded-For': '10.9.8.8' }];
    for (let failure = 1; failure <= 5; failure += 1) {
      expect((await login(limited, nobody(), WRONG, here)).status).toBe(401);
    }
    const hashed = jest.spyOn(hasherOf(limited), 'matches');
    const flood = await race(100, index => login(limited, index === 99 ? agent.email : nobody(), WRONG, here));
    for (const { status, headers } of flood) {
      expect([status, headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual([429, '5', '0']);
      expect(headers['retry-after']).toBe(headers['ratelimit-reset']);
    }
    expect(hashed).not.toHaveBeenCalled();
    expect((await login(limited, desk.owner.email, PASSWORD, elsewhere)).status).toBe(200);
    await limited.stop();
  });
});
