import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.js';
import { isAlive, isServerOf } from './postmaster-pid.js';
import { type Binaries, serverEnvironment } from './runnable-binaries.js';

/** A server as it is to be run. */
export interface ServerPlan {
  binaries: Binaries;
  cluster: string;
  account?: Account;
  settings: Record<string, string>;
  logFile: string;
  /** the only port to listen on; undefined for that of the last server of the cluster, or a free one */
  port?: number;
}

/** A server that was spawned; it may still be starting, or lose to another one. */
export interface SpawnedServer {
  pid: number | undefined;
  /** undefined while it runs; then why it ended, e.g. 'exit code 1' */
  ended(): string | undefined;
  /** what the log has gained since it was spawned */
  log(): Promise<string>;
}

/** The log (in bytes) is put aside as `<log>.1` before a start once it is this large. */
const LARGE_LOG = 10 * 1024 * 1024;

/** How long (ms) each way of stopping is given. */
const GRACE_MS = 10_000;

/**
 * Spawns the server in a process group of its own: a Ctrl-C in the terminal reaches the service, which drains and then
 * stops the server, and not both at once. It outlives a killed service and is adopted by the next.
 *
 * @param last the last server of the cluster, whose port is used again when it is free: its users find the new one there.
 *   `stranger` is a process that `postmaster.pid` names though it is another program. PostgreSQL believes that file if
 *   the number is alive, but forgives its own ancestors, of which PG_GRANDPARENT_PID (pg_ctl sets it) names one. Unlike
 *   deleting the file, this keeps PostgreSQL's check for survivors that still hold its shared memory.
 */
export async function spawnServer(plan: ServerPlan, last: { port: number; stranger?: number }): Promise<SpawnedServer> {
  const port = plan.port ?? (await freePort(last.port).catch(() => freePort(0)));
  const written = await stat(plan.logFile).catch(() => undefined);
  if (written && written.size > LARGE_LOG) await rename(plan.logFile, `${plan.logFile}.1`);
  const log = await open(plan.logFile, 'a+', 0o600);
  const before = (await log.stat()).size;
  // the last one counts: no setting of the caller's opens another door
  const doors = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' };
  const settings = Object.entries({ ...plan.settings, ...doors }).flatMap(([name, value]) => [
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
 * Fast shutdown: running statements are rolled back, sessions end, everything is on disk. After 10 s immediate
 * shutdown, from which the next start recovers. Resolves when the process is gone.
 *
 * @throws when it outlives that too
 */
export async function stopServer(cluster: string, pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!(await isServerOf(cluster, pid))) return; // and never signal a number that was used again
    process.kill(pid, signal);
    for (const end = Date.now() + GRACE_MS; Date.now() < end && (await isAlive(pid));) await sleep(10);
  }
  if (!(await isServerOf(cluster, pid))) return;
  throw new Error(`PostgreSQL (process ${pid}) did not stop; its cluster is ${cluster}`);
}

/** @throws when the port, which is not 0, is taken */
async function freePort(wanted: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(wanted, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise(resolve => probe.close(resolve));
  return port;
}

async function readFrom(file: string, start: number): Promise<string> {
  let text = '';
  for await (const chunk of createReadStream(file, { start, encoding: 'utf8' })) text += chunk;
  return text.trimEnd();
}
