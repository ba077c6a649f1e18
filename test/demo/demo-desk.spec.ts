import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerClient } from '@support-chat/sdk';
import { openDesk } from '../../src/bin/demo/demo-desk.js';
import { World } from '../support/world.js';

describe('The demo’s desk', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const works = (apiKey: string) => new ServerClient({ baseUrl: world.app.url, apiKey }).workspace.get();

  it("Runs of the demo share one workspace, and a run does not revoke another run's key.", async () => {
    const first = await openDesk(world.app.url);
    const second = await openDesk(world.app.url);
    expect(second.widgetToken).toBe(first.widgetToken);
    for (const { apiKey } of [first, second]) expect(await works(apiKey)).toMatchObject({ name: 'Demo shop' });
    await second.close();
    await expect(works(second.apiKey)).rejects.toMatchObject({ status: 401 });
    expect(await works(first.apiKey)).toMatchObject({ name: 'Demo shop' });
    await first.close();
    expect((await first.agent.apiKeys.list()).items).toEqual([]);
  });

  it('A run revokes the expired key of a run that crashed.', async () => {
    const crashed = await openDesk(world.app.url);
    const [key] = (await crashed.agent.apiKeys.list()).items;
    expect(Date.parse(key?.expires_at ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await world.app.database.query('UPDATE api_key SET expires_at = clock_timestamp() WHERE expires_at IS NOT NULL');
    const next = await openDesk(world.app.url);
    expect((await next.agent.apiKeys.list()).items).toHaveLength(1);
    await next.close();
  });
});
