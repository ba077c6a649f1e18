import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.js';
import { isAlive, isServerOf } from './postmaster-pid.js';
import { type Binaries, serverEnvironment } from './runnable-binaries.js';

/** The configuration of a server to start. */
export interface ServerPlan {
  binaries: Binaries;
  cluster: string;
  account?: Account;
  settings: Record<string, string>;
  logFile: string;
  /** The required port; undefined for the port of the last server or a free one. */
  port?: number;
}

/** A spawned server process. It may still be starting, or end because another start was first. */
export interface SpawnedServer {
  pid: number | undefined;
  /** Undefined while it runs; then the reason of its end, e.g. 'exit code 1'. */
  ended(): string | undefined;
  /** Reads the log from the point at which it was spawned. */
  log(): Promise<string>;
}

/** Size (bytes) from which the log is renamed to `<log>.1` before a start. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Time (ms) for each kind of shutdown. */
const GRACE_MS = 10_000;

/**
 * Spawns the server in its own process group, so that Ctrl-C reaches only the service, which drains and then stops the
 * server. The server outlives a killed service, and the next start adopts it.
 *
 * @param last the last server of the cluster. Its port is reused if free, so that its clients find the new server.
 *   `stranger` is the id of another program that `postmaster.pid` names. PostgreSQL refuses to start while that process
 *   runs, but ignores its own ancestors, one of which PG_GRANDPARENT_PID names (pg_ctl sets it). Unlike deleting the
 *   file, this keeps PostgreSQL's check for old processes that still use its shared memory.
 */
export async function spawnServer(plan: ServerPlan, last: { port: number; stranger?: number }): Promise<SpawnedServer> {
  const port = plan.port ?? (await freePort(last.port).catch(() => freePort(0)));
  const written = await stat(plan.logFile).catch(() => undefined);
  if (written && written.size > MAX_LOG_BYTES) await rename(plan.logFile, `${plan.logFile}.1`);
  const log = await open(plan.logFile, 'a+', 0o600);
  const before = (await log.stat()).size;
  // last, so that the caller's settings cannot override them
  const listenSettings = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' };
  const settings = Object.entries({ ...plan.settings, ...listenSettings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(plan.binaries.postgres, ['-D', plan.cluster, ...settings], {
    cwd: '/',
    detached: true,
    env: last.stranger ? { ...serverEnvironment, PG_GRANDPARENT_PID: String(last.stranger) } : serverEnvironment,
    stdio: ['ignore', log.fd, log.fd],
    uid: plan.account?.uid,
    gid: plan.account?.gid,
  });
  let ended: string | undefined;
  child.once('exit', (code, signal) => (ended = signal ?? `exit code ${code}`));
  child.once('error', error => (ended = error.message));
  child.unref();
  await log.close();
  return { pid: child.pid, ended: () => ended, log: () => readFrom(plan.logFile, before) };
}

/**
 * Stops a server with a fast shutdown, which rolls back running statements and writes everything to disk. After 10 s it
 * uses an immediate shutdown, from which the next start recovers. Resolves when the process has ended.
 *
 * @throws Error when the process survives both
 */
export async function stopServer(cluster: string, pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!(await isServerOf(cluster, pid))) return; // never signal a reused process id
    process.kill(pid, signal);
    for (const end = Date.now() + GRACE_MS; Date.now() < end && (await isAlive(pid));) await sleep(10);
  }
  if (!(await isServerOf(cluster, pid))) return;
  throw new Error(`PostgreSQL (process ${pid}) did not stop; its cluster is ${cluster}`);
}

/** Returns the preferred port, or any free port for 0. @throws Error when the preferred port is taken */
async function freePort(preferred: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(preferred, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise(resolve => probe.close(resolve));
  return port;
}

async function readFrom(file: string, start: number): Promise<string> {
  let text = '';
  for await (const chunk of createReadStream(file, { start, encoding: 'utf8' })) text += chunk;
  return text.trimEnd();
}
