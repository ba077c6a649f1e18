import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { each } from './pace.js';
import { root, startServer } from './processes.js';

/** The built service in a process and a folder of its own, and a desk to measure it with. */

const built = resolve(root, 'dist/main.js');

/** A folder for the embedded database; `remove` when the service that used it has ended. */
export function dataFolder(name) {
  if (!existsSync(built)) throw new Error('there is no dist/main.js: npm run build');
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  // the account that the embedded database runs as must get through, or its files lie elsewhere and stay
  chmodSync(folder, 0o711);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts it and waits until it is ready. @param env over what every benchmark has */
export function startService(folder, env = {}, entry = built) {
  const common = { DATA_DIR: folder, LOG_FORMAT: 'json', LOG_LEVEL: 'warn', BCRYPT_COST: '4' };
  return startServer([entry], { ...common, ...env }, '/readyz');
}

/** A workspace, its owner's token, what opens its widget, and a key for backends. */
export async function openDesk(made) {
  const owner = await register(made, 'olivia@example.com');
  const channels = await made('GET', '/v1/channels', undefined, owner.token);
  const key = await made('POST', '/v1/api-keys', { name: 'bench' }, owner.token);
  return { token: owner.token, widgetToken: channels.items[0].widget_token, key: key.key };
}

/** Somebody registers a workspace. @param headers of the call besides those that all have */
export function register(made, email, headers) {
  const body = { workspace_name: 'Bench', name: 'Olivia', email, password: 'a horse, a battery and a staple' };
  return made('POST', '/v1/auth/register', body, undefined, headers);
}

/** @returns so many agents' access tokens; each is a member of its own */
export function hireAgents(made, key, count, from = 0) {
  return each(Array(count).fill(), 16, async (_, index) => {
    const email = `agent-${from + index}@example.com`;
    await made('POST', '/v1/workspace/members', { email, name: `Agent ${from + index}` }, key);
    return (await made('POST', '/v1/auth/agent-token', { email }, key)).token;
  });
}
