import { AgentClient, ApiError } from '@support-chat/sdk';

/** Credentials of the demo's agent. They are not secret: the demo is for trials on a local machine. */
export const DEMO_AGENT = { email: 'olivia@demo.example', password: 'demo-desk-password' };

const KEY_NAME = 'demo';
export const KEY_HOURS = 24;
const KEY_MS = KEY_HOURS * 3_600_000;

export interface DemoDesk {
  /** A client that is logged in. */
  agent: AgentClient;
  widgetToken: string;
  /** An API key for a backend. A key is shown only once, so each run creates its own. */
  apiKey: string;
  /** Revokes this run's key. */
  close(): Promise<void>;
}

/** Logs in to the demo workspace. The first run registers it, and later runs use the same one. */
export async function openDesk(baseUrl: string): Promise<DemoDesk> {
  const agent = new AgentClient({ baseUrl });
  await loginOrRegister(agent);
  const { items } = await agent.channels.list();
  const [channel] = items;
  if (!channel) throw new Error('the demo workspace has no channel');
  await revokeExpiredKeys(agent);
  const expires_at = new Date(Date.now() + KEY_MS).toISOString();
  const { id, key } = await agent.apiKeys.create({ name: KEY_NAME, expires_at });
  const close = async () => void (await agent.apiKeys.revoke(id));
  return { agent, widgetToken: channel.widget_token, apiKey: key, close };
}

/**
 * Logs in, and registers the workspace first when there is none. Of two concurrent first runs the second gets
 * `email_taken` or registers another workspace; the second login leads both to the first workspace.
 */
async function loginOrRegister(agent: AgentClient): Promise<void> {
  try {
    await agent.login(DEMO_AGENT);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_credentials') throw error;
    await agent.register({ ...DEMO_AGENT, name: 'Olivia', workspace_name: 'Demo shop' }).catch(ignoreEmailTaken);
    await agent.login(DEMO_AGENT);
  }
}

function ignoreEmailTaken(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'email_taken') throw error;
}

/** Revokes expired keys of earlier runs that did not revoke them. Keys of runs in progress have not expired. */
async function revokeExpiredKeys(agent: AgentClient): Promise<void> {
  const { items } = await agent.apiKeys.list();
  for (const { id, name, expires_at } of items) {
    const expired = expires_at === null || Date.parse(expires_at) <= Date.now();
    if (name === KEY_NAME && expired) await agent.apiKeys.revoke(id);
  }
}
