import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import { lockRow } from '../support/blocking-transaction.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { ticketIn } from '../support/sso.js';
import { countsOf, race } from '../support/race.js';
import { unique } from '../support/world.js';

/** Processes that a test started; stopped after it, even if it failed. */
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

/** Issues an SSO ticket for a new workspace's owner. */
async function ticketFrom(url: string): Promise<string> {
  const email = `${unique('owner')}@example.com`;
  const body = { workspace_name: 'Desk', name: 'Olivia', email, password: 'correct horse battery' };
  const { token } = (await call('POST', `${url}/v1/auth/register`, { body })).body.data;
  const { key } = (await call('POST', `${url}/v1/api-keys`, { token, body: { name: 'backend' } })).body.data;
  const issued = await call('POST', `${url}/v1/auth/sso/ticket`, { token: key, body: { email } });
  return ticketIn(issued.body.data.redirect_url);
}

const exchange = (url: string, ticket: string) => call('POST', `${url}/v1/auth/sso/exchange`, { body: { ticket } });

/** Status of the response, or `cut off` if there was none. */
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

describe('An SSO ticket whose exchange is cut off by a kill', () => {
  it('A ticket whose exchange is killed before COMMIT is not spent, starts no session, and works on another instance.', async () => {
    const [first, second] = [run(), run()];
    const [url, other] = [await first.url(), await second.url()];
    const ticket = await ticketFrom(url);
    const [user] = await database.query<{ id: string }>('SELECT id FROM user_account');
    const lock = await lockRow(database, 'user_account', user?.id ?? '');
    const lost = outcomeOf(exchange(url, ticket));
    await lock.awaited();
    await first.kill();
    await lock.commit();
    expect(await lost).toBe('cut off');
    const statuses = await race(3, async () => (await exchange(other, ticket)).status);
    expect(countsOf(statuses)).toEqual({ 200: 1, 401: 2 });
    expect(await spentAndMinted()).toEqual({ spent: 1, minted: 1 });
  });

  it('A ticket whose exchange is killed at any moment starts at most one session, and no second one when retried.', async () => {
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
