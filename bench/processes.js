import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { client } from './client.js';
import { findProgram } from './programs.js';

/** Servers that a benchmark starts, each a process of its own. */

// cut short, a benchmark leaves no process behind
let cutShort = () => process.exit(1);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cutShort());

/** For one that has more to put away: done when it is cut short, before it ends. */
export function whenCutShort(work) {
  cutShort = () => work().finally(() => process.exit(1));
}

// each server that runs has one of them, to be ended when this process ends
process.setMaxListeners(0);

export const root = resolve(import.meta.dirname, '..');
const probe = resolve(import.meta.dirname, 'probe.js');

/** After that a server that has not answered never will. */
const START_MS = 60_000;

/**
 * Starts a program of node that listens on `PORT`, and waits until it answers. That it is this very process that
 * answers, and not one that was left behind on the port, is proved by the id in `/healthz`.
 * @param program the file and what node is to be told before it, e.g. `['--import', 'x', 'server.js']`
 * @param ready a path that answers 200 once the server takes requests
 */
export async function startServer(program, env = {}, ready = '/healthz') {
  const port = await freePort();
  const runId = randomUUID();
  const { child, stop } = run(process.execPath, ['--expose-gc', '--import', probe, ...program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { HOST: '127.0.0.1', PORT: String(port), INSTANCE_ID: runId, ...env },
  });
  try {
    await answers(child, port, runId, ready);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    pid: child.pid,
    runId,
    /** @param ask `memory`, after a collection, or `time` since it was asked last */
    async ask(ask) {
      child.send({ ask });
      return (await once(child, 'message'))[0];
    },
    stop,
  };
}

/**
 * Starts a program that knows no `/healthz`, and waits until it lets somebody in.
 * @param argumentsOf the port, which is free → what the program is told, or a promise of it
 */
export async function startProgram(program, argumentsOf, env = {}) {
  const port = await freePort();
  const { child, stop } = run(findProgram(program) ?? program, await argumentsOf(port), {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  try {
    await letsIn(child, port);
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

async function letsIn(child, port) {
  const late = performance.now() + START_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const socket = connect({ host: '127.0.0.1', port });
    const open = await once(socket, 'connect')
      .then(() => true)
      .catch(() => false);
    socket.destroy();
    if (open) return;
    if (performance.now() > late) throw new Error(`nobody was let in on port ${port} within ${START_MS} ms`);
    await delay(25);
  }
}

async function answers(child, port, runId, ready) {
  const { call, close } = client(port);
  const late = performance.now() + START_MS;
  try {
    for (const path of new Set(['/healthz', ready])) {
      for (;;) {
        if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
        const { status, body } = await call('GET', path).catch(() => ({ status: 0 }));
        if (path === '/healthz' && status === 200 && body?.instance !== runId) {
          throw new Error(`another process answers on port ${port}`);
        }
        if (status === 200) break;
        if (performance.now() > late) throw new Error(`no answer on port ${port}, ${path} within ${START_MS} ms`);
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
