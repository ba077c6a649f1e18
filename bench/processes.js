import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { client } from './client.js';
import { findProgram } from './programs.js';

/** Starts servers as separate processes. */

// an interrupted benchmark leaves no process behind
let cutShort = () => process.exit(1);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cutShort());

/** Registers cleanup that runs before the process exits on a signal. */
export function whenCutShort(work) {
  cutShort = () => work().finally(() => process.exit(1));
}

// each running server adds an exit listener
process.setMaxListeners(0);

export const root = resolve(import.meta.dirname, '..');
const probe = resolve(import.meta.dirname, 'probe.js');

/** Limit for a server's start. */
const START_MS = 60_000;

/**
 * Starts a Node program that listens on `PORT`, and waits until it responds. The id in `/healthz` proves that this
 * process responds, and not an old one on the same port.
 * @param program the file, after options of node, e.g. `['--import', 'x', 'server.js']`
 * @param ready a path that returns 200 once the server accepts requests
 */
export async function startServer(program, env = {}, ready = '/healthz') {
  const port = await freePort();
  const runId = randomUUID();
  const { child, stop } = run(process.execPath, ['--expose-gc', '--import', probe, ...program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { HOST: '127.0.0.1', PORT: String(port), INSTANCE_ID: runId, ...env },
  });
  try {
    await waitForResponse(child, port, runId, ready);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    pid: child.pid,
    runId,
    /** @param ask `memory`, after a garbage collection, or `time` since the last call */
    async ask(ask) {
      child.send({ ask });
      return (await once(child, 'message'))[0];
    },
    stop,
  };
}

/**
 * Starts a program without `/healthz`, and waits until it accepts connections.
 * @param argumentsOf (free port) → the program's arguments, or a promise of them
 */
export async function startProgram(program, argumentsOf, env = {}) {
  const port = await freePort();
  const { child, stop } = run(findProgram(program) ?? program, await argumentsOf(port), {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  try {
    await waitForConnection(child, port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, pid: child.pid, pids: [child.pid], stop };
}

function run(program, words, { stdio, env }) {
  const child = spawn(program, words, {
    cwd: root,
    stdio,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  const cut = () => child.kill('SIGTERM');
  process.once('exit', cut);
  const stop = async () => {
    process.off('exit', cut);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { child, stop };
}

async function waitForConnection(child, port) {
  const late = performance.now() + START_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}`);
    const socket = connect({ host: '127.0.0.1', port });
    const open = await once(socket, 'connect')
      .then(() => true)
      .catch(() => false);
    socket.destroy();
    if (open) return;
    if (performance.now() > late) throw new Error(`port ${port} accepted no connection within ${START_MS} ms`);
    await delay(25);
  }
}

async function waitForResponse(child, port, runId, ready) {
  const { call, close } = client(port);
  const late = performance.now() + START_MS;
  try {
    for (const path of new Set(['/healthz', ready])) {
      for (;;) {
        if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}`);
        const { status, body } = await call('GET', path).catch(() => ({ status: 0 }));
        if (path === '/healthz' && status === 200 && body?.instance !== runId) {
          throw new Error(`another process responds on port ${port}`);
        }
        if (status === 200) break;
        if (performance.now() > late) throw new Error(`no response on port ${port}, ${path} within ${START_MS} ms`);
        await delay(25);
      }
    }
  } finally {
    close();
  }
}

export function freePort() {
  return new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
