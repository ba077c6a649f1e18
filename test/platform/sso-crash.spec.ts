import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import { lockedRow } from '../support/held-row.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { ticketIn } from '../support/sso.js';
import { countsOf, race } from '../support/race.js';
import { unique } from '../support/world.js';

jest.setTimeout(60_000); // each test starts a process or two

/** Everything that a test has started, ended after it, whatever came of it. */
const running: ServiceProcess[] = [];
let database: TestDatabase;

beforeAll(ensureBuilt, 240_000);
beforeEach(async () => {
  database = await cloneDatabase();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(service => service.kill()));
  await database.drop();
});
afterAll(() => expect(running).toEqual([]));

function run(): ServiceProcess {
  const service = ServiceProcess.start({ DATABASE_URL: database.url });
  running.push(service);
  return service;
}

/** A ticket of a workspace's owner, from its own backend. */
async function ticketFrom(url: string): Promise<string> {
  const email = `${unique('owner')}@example.com`;
  const body = { workspace_name: 'Desk', name: 'Olivia', email, password: 'correct horse battery' };
  const { token } = (await call('POST', `${url}/v1/auth/register`, { body })).body.data;
  const { key } = (await call('POST', `${url}/v1/api-keys`, { token, body: { name: 'backend' } })).body.data;
  const issued = await call('POST', `${url}/v1/auth/sso/ticket`, { token: key, body: { email } });
  return ticketIn(issued.body.data.redirect_url);
}

const exchange = (url: string, ticket: string) => call('POST', `${url}/v1/auth/sso/exchange`, { body: { ticket } });

/** The status, where there was an answer. */
function outcomeOf(exchanged: ReturnType<typeof exchange>): Promise<number | 'cut off'> {
  return exchanged.then(
    ({ status }) => status,
    () => 'cut off' as const,
  );
}

async function spentAndMinted(): Promise<{ spent: number; minted: number }> {
  const spent = await database.query('SELECT 1 FROM sso_ticket WHERE spent_at IS NOT NULL');
  const minted = await database.query('SELECT 1 FROM session WHERE api_key_id IS NOT NULL');
  return { spent: spent.length, minted: minted.length };
}

describe('a ticket whose exchange is cut off by a kill', () => {
  it('between spending and signing in is neither spent nor signed in, and still good on another instance', async () => {
    const [first, second] = [run(), run()];
    const [url, other] = [await first.url(), await second.url()];
    const ticket = await ticketFrom(url);
    const [user] = await database.query<{ id: string }>('SELECT id FROM user_account');
    const held = await lockedRow(database, 'user_account', user?.id ?? '');
    const lost = outcomeOf(exchange(url, ticket));
    await held.awaited();
    await first.kill();
    await held.commit();
    expect(await lost).toBe('cut off');
    const statuses = await race(3, async () => (await exchange(other, ticket)).status);
    expect(countsOf(statuses)).toEqual({ 200: 1, 401: 2 });
    expect(await spentAndMinted()).toEqual({ spent: 1, minted: 1 });
  });

  it('in whatever moment opens at most one session, and never another when it is tried again', async () => {
    const survivor = run();
    const other = await survivor.url();
    for (const [round, delay] of [0, 3, 6, 12].entries()) {
      const victim = run();
      const url = await victim.url();
      const ticket = await ticketFrom(url);
      const coming = outcomeOf(exchange(url, ticket));
      await new Promise(resolve => setTimeout(resolve, delay));
      await victim.kill();
      const outcome = await coming;
      const again = (await exchange(other, ticket)).status;
      if (outcome === 200) expect([delay, again]).toEqual([delay, 401]);
      expect([delay, (await exchange(other, ticket)).status]).toEqual([delay, 401]);
      expect([delay, await spentAndMinted()]).toEqual([delay, { spent: round + 1, minted: round + 1 }]);
    }
  });
});
