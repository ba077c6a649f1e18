import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * What `postmaster.pid` of a cluster says, checked against the process table:
 * - `absent`: no file, or its process is dead (a crash leaves the file, and in it the port: 0 without a file)
 * - `stranger`: the process lives but is another program, the number having been used again; common in containers
 * - `busy`: a server that starts, recovers or stops
 * - `ready`: a server that says it accepts connections on 127.0.0.1:`port`
 */
export type Postmaster =
  { state: 'absent'; port: number } | { state: 'stranger' | 'busy' | 'ready'; pid: number; port: number };

export async function readPostmaster(cluster: string): Promise<Postmaster> {
  const file = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  // line by line: pid, data folder, start time, port, socket folder, address, shared memory key, status
  const [pidLine, , , portLine, , , , status] = file.split('\n');
  const pid = Number(pidLine);
  const port = Number(portLine) || 0;
  if (!(pid > 0) || !(await isAlive(pid))) return { state: 'absent', port };
  if (!(await isServerOf(cluster, pid))) return { state: 'stranger', pid, port };
  return { state: status?.trim() === 'ready' ? 'ready' : 'busy', pid, port };
}

/** A zombie counts as dead: in a container whose first process reaps nobody, an adopted server remains one for ever. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // also EPERM: our server runs under our account, unless we are root, whom nothing is denied
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(status);
}

/**
 * Whether the process is the server of this cluster: its owner runs it, as `postgres -D <cluster> …`. By the command
 * line and not by /proc/<pid>/exe or cwd, which root inside a container may not read.
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
