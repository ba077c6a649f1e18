import { AgentClient, ApiError } from '@support-chat/sdk';

/** Who works at the demo's desk. No secret: the demo is for trying, on one's own machine. */
export const DEMO_AGENT = { email: 'olivia@demo.example', password: 'demo-desk-password' };

const KEY_NAME = 'demo';

export interface DemoDesk {
  /** Signed in. */
  agent: AgentClient;
  widgetToken: string;
  /** For a backend; as a key is shown once, each run makes its own, and the last run's is worth nothing. */
  apiKey: string;
}

/** Signs in at the demo's workspace, which the first run registers; however often it runs, there is one. */
export async function openDesk(baseUrl: string): Promise<DemoDesk> {
  const agent = new AgentClient({ baseUrl });
  try {
    await agent.login(DEMO_AGENT);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_credentials') throw error;
    await agent.register({ ...DEMO_AGENT, name: 'Olivia', workspace_name: 'Demo shop' });
  }
  const { items } = await agent.channels.list();
  const [channel] = items;
  if (!channel) throw new Error('the demo workspace has no channel');
  return { agent, widgetToken: channel.widget_token, apiKey: await newKey(agent) };
}

async function newKey(agent: AgentClient): Promise<string> {
  const { items } = await agent.apiKeys.list();
  for (const { id, name } of items) if (name === KEY_NAME) await agent.apiKeys.revoke(id);
  return (await agent.apiKeys.create({ name: KEY_NAME })).key;
}
