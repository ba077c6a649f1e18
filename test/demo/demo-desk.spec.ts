import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerClient } from '@support-chat/sdk';
import { openDesk } from '../../src/bin/demo/demo-desk.js';
import { World } from '../support/world.js';

describe('the demo’s desk', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it('is one, however often it is opened, and has one key', async () => {
    const first = await openDesk(world.app.url);
    const second = await openDesk(world.app.url);
    expect(second.widgetToken).toBe(first.widgetToken);
    expect((await second.agent.apiKeys.list()).items).toHaveLength(1);
    const server = (apiKey: string) => new ServerClient({ baseUrl: world.app.url, apiKey });
    await expect(server(first.apiKey).workspace.get()).rejects.toMatchObject({ status: 401 });
    expect(await server(second.apiKey).workspace.get()).toMatchObject({ name: 'Demo shop' });
  });
});
