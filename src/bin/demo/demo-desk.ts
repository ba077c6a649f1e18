import { AgentClient, ApiError } from '@support-chat/sdk';

/** Who works at the demo's desk. No secret: the demo is for trying, on one's own machine. */
export const DEMO_AGENT = { email: 'olivia@demo.example', password: 'demo-desk-password' };

const KEY_NAME = 'demo';
export const KEY_HOURS = 24;
const KEY_MS = KEY_HOURS * 3_600_000;

export interface DemoDesk {
  /** Signed in. */
  agent: AgentClient;
  widgetToken: string;
  /** For a backend. A key is shown once, so each run makes its own; that of another run stays as it is. */
  apiKey: string;
  /** Revokes this run's key. */
  close(): Promise<void>;
}

/** Signs in at the demo's workspace, which the first run registers; however often it runs, there is one. */
export async function openDesk(baseUrl: string): Promise<DemoDesk> {
  const agent = new AgentClient({ baseUrl });
  await enter(agent);
  const { items } = await agent.channels.list();
  const [channel] = items;
  if (!channel) throw new Error('the demo workspace has no channel');
  await revokeLeftovers(agent);
  const expires_at = new Date(Date.now() + KEY_MS).toISOString();
  const { id, key } = await agent.apiKeys.create({ name: KEY_NAME, expires_at });
  const close = async () => void (await agent.apiKeys.revoke(id));
  return { agent, widgetToken: channel.widget_token, apiKey: key, close };
}

/**
 * Registers the workspace where there is none. Of two first runs at the same time the second finds the e-mail taken, or
 * registers a workspace of its own; signing in once more takes both to the first.
 */
async function enter(agent: AgentClient): Promise<void> {
  try {
    await agent.login(DEMO_AGENT);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_credentials') throw error;
    await agent.register({ ...DEMO_AGENT, name: 'Olivia', workspace_name: 'Demo shop' }).catch(unlessTaken);
    await agent.login(DEMO_AGENT);
  }
}

function unlessTaken(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'email_taken') throw error;
}

/** Revokes keys of runs that ended without revoking their own. A run that is under way has a key that has not expired. */
async function revokeLeftovers(agent: AgentClient): Promise<void> {
  const { items } = await agent.apiKeys.list();
  for (const { id, name, expires_at } of items) {
    const expired = expires_at === null || Date.parse(expires_at) <= Date.now();
    if (name === KEY_NAME && expired) await agent.apiKeys.revoke(id);
  }
}
