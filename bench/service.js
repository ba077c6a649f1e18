import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { each } from './pace.js';
import { root, startServer } from './processes.js';

/** Runs the built service in a separate process and folder, with a workspace to measure. */

const built = resolve(root, 'dist/main.js');

/** Makes a folder for the embedded database; call `remove` after its service has stopped. */
export function dataFolder(name) {
  if (!existsSync(built)) throw new Error('there is no dist/main.js: run npm run build');
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  // the account of the embedded database needs access, or its files go to another folder and are not removed
  chmodSync(folder, 0o711);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts the service and waits until it is ready. @param env overrides the common settings */
export function startService(folder, env = {}, entry = built) {
  const common = { DATA_DIR: folder, LOG_FORMAT: 'json', LOG_LEVEL: 'warn', BCRYPT_COST: '4' };
  return startServer([entry], { ...common, ...env }, '/readyz');
}

/** Creates a workspace. @returns its owner's token, a widget token and an API key */
export async function openDesk(made) {
  const owner = await register(made, 'olivia@example.com');
  const channels = await made('GET', '/v1/channels', undefined, owner.token);
  const key = await made('POST', '/v1/api-keys', { name: 'bench' }, owner.token);
  return { token: owner.token, widgetToken: channels.items[0].widget_token, key: key.key };
}

/** Registers a workspace. @param headers additional headers of the call */
export function register(made, email, headers) {
  const body = { workspace_name: 'Bench', name: 'Olivia', email, password: 'a horse, a battery and a staple' };
  return made('POST', '/v1/auth/register', body, undefined, headers);
}

/** Creates a visitor with a conversation. @returns `{id, visitor}`: the conversation's id and the visitor's token */
export async function beginConversation(made, widgetToken) {
  const { visitor_token: visitor } = await made('POST', '/v1/widget/session', { widget_token: widgetToken });
  const message = { content: 'Hello?' };
  const { conversation } = await made('POST', '/v1/widget/conversations', { message }, visitor);
  return { id: conversation.id, visitor };
}

/** Returns the target of a load that sends messages to a conversation, for `load/requests.js`. */
export function messageTarget(id, token) {
  return { method: 'POST', path: `/v1/conversations/${id}/messages`, token, before: '{"content":"', after: '"}' };
}

/** Creates members. @returns an access token of each */
export function hireAgents(made, key, count, from = 0) {
  return each(Array(count).fill(), 16, async (_, index) => {
    const email = `agent-${from + index}@example.com`;
    await made('POST', '/v1/workspace/members', { email, name: `Agent ${from + index}` }, key);
    return (await made('POST', '/v1/auth/agent-token', { email }, key)).token;
  });
}
