import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * The state of a cluster's server, from `postmaster.pid` and the process table:
 * - `absent`: no file, or its process is dead; a crash leaves the file with its port (0 without a file)
 * - `stranger`: the process runs but is another program that reused the number; common in containers
 * - `busy`: the server is starting, recovering or stopping
 * - `ready`: the server reports that it accepts connections on 127.0.0.1:`port`
 */
export type Postmaster =
  { state: 'absent'; port: number } | { state: 'stranger' | 'busy' | 'ready'; pid: number; port: number };

export async function readPostmaster(cluster: string): Promise<Postmaster> {
  const file = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  // lines: pid, data folder, start time, port, socket folder, address, shared memory key, status
  const [pidLine, , , portLine, , , , status] = file.split('\n');
  const pid = Number(pidLine);
  const port = Number(portLine) || 0;
  if (!(pid > 0) || !(await isAlive(pid))) return { state: 'absent', port };
  if (!(await isServerOf(cluster, pid))) return { state: 'stranger', pid, port };
  return { state: status?.trim() === 'ready' ? 'ready' : 'busy', pid, port };
}

/**
 * Returns false for a zombie: when a container's init process does not reap, an ended server stays a zombie forever.
 */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // also on EPERM: our server runs under our account, and root is never denied
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(status);
}

/**
 * Checks that the process is the server of this cluster: it runs as the owner, with the command `postgres -D <cluster>
 * …`. It reads the command line, because root inside a container may not read /proc/<pid>/exe or cwd.
 */
export async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  const [owner, runner] = await Promise.all([cluster, `/proc/${pid}`].map(path => stat(path).catch(() => undefined)));
  if (owner && runner && owner.uid !== runner.uid) return false;
  return `${await commandLine(pid)} `.includes(` -D ${cluster} `);
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trimEnd();
  }
  const listed = promisify(execFile)('/bin/ps', ['-ww', '-p', String(pid), '-o', 'args=']);
  return (await listed.catch(() => ({ stdout: '' }))).stdout.trimEnd();
}
