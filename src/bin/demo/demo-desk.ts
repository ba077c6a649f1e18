import { AgentClient, ApiError, ServerClient } from '@support-chat/sdk';
import type { Routing } from './desk-work.js';
import { SHOP_CHANNEL } from './shop-channel.js';
import { makeAvailable, signInColleagues } from './team.js';

/** Credentials of the demo's owner. They are not secret: the demo is for trials on a local machine. */
export const DEMO_AGENT = { email: 'olivia@demo.example', password: 'demo-desk-password' };
export const ROUTING: Routing = 'round_robin';

const KEY_NAME = 'demo';
export const KEY_HOURS = 24;
const KEY_MS = KEY_HOURS * 3_600_000;

export interface DemoDesk {
  /** Clients of the owner and its colleagues, which are logged in. */
  agents: AgentClient[];
  widgetToken: string;
  /** An API key for a backend. A key is shown only once, so each run creates its own. */
  apiKey: string;
  /** Revokes this run's key. */
  close(): Promise<void>;
}

/** Logs in to the demo workspace and sets it up. The first run registers it, and later runs use the same one. */
export async function openDesk(baseUrl: string): Promise<DemoDesk> {
  const owner = new AgentClient({ baseUrl });
  await loginOrRegister(owner);
  const { widget_token: widgetToken } = await setUpChannel(owner);
  await revokeExpiredKeys(owner);
  const expires_at = new Date(Date.now() + KEY_MS).toISOString();
  const { id, key: apiKey } = await owner.apiKeys.create({ name: KEY_NAME, expires_at });
  const close = async () => void (await owner.apiKeys.revoke(id));
  const colleagues = await signInColleagues(baseUrl, new ServerClient({ baseUrl, apiKey }), DEMO_AGENT.password);
  const agents = [owner, ...colleagues];
  await makeAvailable(owner, agents);
  return { agents, widgetToken, apiKey, close };
}

/**
 * Makes the service assign conversations, and visitors able to rate them. Takes back settings of a trial that would
 * change what is said: automatic answers, and questions before the first message.
 */
async function setUpChannel(owner: AgentClient) {
  const { items } = await owner.channels.list();
  const channel = items.find(({ name }) => name !== SHOP_CHANNEL);
  if (!channel) throw new Error('the demo workspace has no channel');
  return owner.channels.update(channel.id, {
    routing: { mode: ROUTING },
    csat_enabled: true,
    widget_config: { away_message: '', pre_chat_form: { enabled: false } },
  });
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
