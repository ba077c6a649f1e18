import { DEMO_AGENT } from '../../src/bin/demo/demo-desk.js';
import { World } from './world.js';

/** Starts a service with the workspace that `npm run demo` creates, which the integration pages assume. */
export async function startDemoWorkspace(...args: Parameters<typeof World.start>): Promise<World> {
  const world = await World.start(...args);
  const owner = { ...DEMO_AGENT, name: 'Olivia', workspace_name: 'Demo shop' };
  const { status } = await world.anyone.post('/v1/auth/register', owner);
  if (status !== 201) throw new Error(`the demo workspace was not registered: ${status}`);
  return world;
}
