import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// cut short, it leaves no process behind
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** The built service in a process and a folder of its own, and how a benchmark talks to it. */

const built = resolve(import.meta.dirname, '../dist/main.js');
const probe = resolve(import.meta.dirname, 'probe.js');

/** A folder for the embedded database; `remove` when the service that used it has ended. */
export function dataFolder(name) {
  if (!existsSync(built)) throw new Error('there is no dist/main.js: npm run build');
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  // the account that the embedded database runs as must get through, or its files lie elsewhere and stay
  chmodSync(folder, 0o711);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts it and waits until it is ready. @param env over what every benchmark has */
export async function startService(folder, env = {}) {
  const port = await freePort();
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, built], {
    cwd: resolve(import.meta.dirname, '..'),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: folder,
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'warn',
      BCRYPT_COST: '4',
      ...env,
    },
  });
  const cut = () => child.kill('SIGTERM');
  process.once('exit', cut);
  const { call, close } = client(port);
  for (let ready = false; !ready; await delay(50)) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    ready = (await call('GET', '/readyz').catch(() => ({ status: 0 }))).status === 200;
  }
  close();
  return {
    port,
    /** @param ask `memory`, after a collection, or `time` since it was asked last */
    async ask(ask) {
      child.send({ ask });
      return (await once(child, 'message'))[0];
    },
    async stop() {
      process.off('exit', cut);
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Calls the service: `{status, data}`. */
export function client(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const call = (method, path, body, token) =>
    new Promise((done, failed) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = {
        ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
        ...(token && { Authorization: `Bearer ${token}` }),
      };
      const asked = request({ host: '127.0.0.1', port, method, path, headers, agent }, answer => {
        const parts = [];
        answer.on('data', part => parts.push(part));
        answer.on('error', failed);
        answer.on('end', () => {
          const said = Buffer.concat(parts).toString('utf8');
          done({ status: answer.statusCode, data: said.startsWith('{') ? JSON.parse(said).data : undefined });
        });
      });
      asked.on('error', error => {
        // it had been idle, and the service was just closing it: nothing was read of what was asked
        if (asked.reusedSocket && error.code === 'ECONNRESET') call(method, path, body, token).then(done, failed);
        else failed(error);
      });
      asked.end(text);
    });
  /** What must succeed. @returns data */
  const made = async (method, path, body, token) => {
    const { status, data } = await call(method, path, body, token);
    if (status !== 200 && status !== 201) throw new Error(`${method} ${path} was answered ${status}`);
    return data;
  };
  return { call, made, close: () => agent.destroy() };
}

/** A workspace, its owner's token, and what opens its widget. */
export async function openDesk(made) {
  const owner = await made('POST', '/v1/auth/register', {
    workspace_name: 'Bench',
    name: 'Olivia',
    email: 'olivia@example.com',
    password: 'a horse, a battery and a staple',
  });
  const channels = await made('GET', '/v1/channels', undefined, owner.token);
  const key = await made('POST', '/v1/api-keys', { name: 'bench' }, owner.token);
  return { token: owner.token, widgetToken: channels.items[0].widget_token, key: key.key };
}

/** Works through the items, so many at once. @returns what came of each, in their order */
export async function each(items, atOnce, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** Open loop: whoever is slow is not waited for, and holds up nobody else's measure. @returns what each came to */
export async function steadily(perSecond, ms, work) {
  const all = [];
  const begun = performance.now();
  for (let index = 0; (index * 1000) / perSecond < ms; index += 1) {
    const wait = begun + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await delay(wait);
    const one = work(index);
    one.catch(() => undefined);
    all.push(one);
  }
  return Promise.all(all);
}

export function quantile(values, part) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Milliseconds on the clock that all processes of the machine share. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

function freePort() {
  return new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
