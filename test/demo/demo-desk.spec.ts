import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerClient, type AgentClient } from '@support-chat/sdk';
import { openDesk, ROUTING } from '../../src/bin/demo/demo-desk.js';
import { eventually } from '../support/eventually.js';
import { World } from '../support/world.js';

describe('The demo’s desk', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const online = async (agent: AgentClient) => {
    const { items } = await agent.members.list();
    return items.flatMap(({ name, availability }) => (availability === 'online' ? [name] : [])).sort();
  };
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
    expect((await first.agents[0]!.apiKeys.list()).items).toEqual([]);
  });

  it('The desk has three agents whom the service may assign conversations to, and a channel that asks for ratings.', async () => {
    const { agents, close } = await openDesk(world.app.url);
    const [owner] = agents;
    const sockets = await Promise.all(agents.map(agent => agent.connect()));
    await eventually(async () => (await online(owner!)).join() === 'Grace,Olivia,Sam' || undefined);
    for (const socket of sockets) socket.close();
    const { items: members } = await owner!.members.list();
    expect(members.map(({ capacity }) => capacity)).toEqual([1_000, 1_000, 1_000]);
    const { items: channels } = await owner!.channels.list();
    expect(channels).toMatchObject([{ routing: { mode: ROUTING }, csat_enabled: true }]);
    await close();
  });

  it('A run sets up again what somebody changed since the last one.', async () => {
    const { agents, close } = await openDesk(world.app.url);
    const [owner, sam] = agents;
    const { items: channels } = await owner!.channels.list();
    await owner!.channels.update(channels[0]!.id, {
      routing: { mode: 'manual' },
      csat_enabled: false,
      widget_config: { away_message: 'Away', pre_chat_form: { enabled: true } },
    });
    const { id } = await sam!.members.updateMe({ availability: 'away' });
    await owner!.members.update(id, { capacity: 0 });
    await owner!.members.deactivate(id);
    await close();

    const next = await openDesk(world.app.url);
    const socket = await next.agents[1]!.connect();
    await eventually(async () => (await online(next.agents[0]!)).includes('Sam') || undefined);
    socket.close();
    expect(await next.agents[0]!.members.get(id)).toMatchObject({ name: 'Sam', status: 'active', capacity: 1_000 });
    const { items } = await next.agents[0]!.channels.list();
    expect(items).toMatchObject([{ routing: { mode: ROUTING }, csat_enabled: true }]);
    expect(items[0]!.widget_config).toMatchObject({ away_message: '', pre_chat_form: { enabled: false } });
    await next.close();
  });

  it('Two first runs at once create each agent once.', async () => {
    const fresh = await World.start();
    const desks = await Promise.all([openDesk(fresh.app.url), openDesk(fresh.app.url)]);
    const { items } = await desks[0].agents[0]!.members.list();
    expect(items.map(({ name }) => name).sort()).toEqual(['Grace', 'Olivia', 'Sam']);
    for (const desk of desks) await desk.close();
    await fresh.stop();
  });

  it('A run revokes the expired key of a run that crashed.', async () => {
    const crashed = await openDesk(world.app.url);
    const [key] = (await crashed.agents[0]!.apiKeys.list()).items;
    expect(Date.parse(key?.expires_at ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await world.app.database.query('UPDATE api_key SET expires_at = clock_timestamp() WHERE expires_at IS NOT NULL');
    const next = await openDesk(world.app.url);
    expect((await next.agents[0]!.apiKeys.list()).items).toHaveLength(1);
    await next.close();
  });
});
