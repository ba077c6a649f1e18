import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, cp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.js';
import { claimSystemFolder, isRootOnly, systemFolders } from './system-folder.js';

/** Paths of the PostgreSQL programs, readable by the account that runs them. */
export interface Binaries {
  initdb: string;
  postgres: string;
  /** e.g. '18.4' */
  version: string;
}

/** Environment of the programs. A PGDATA or PGPORT of the operator's shell must not reach them. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Returns the binaries in `native`, or in a copy when the account cannot read them there (a checkout under /root). Only
 * root can change the copy; it is made once per build.
 *
 * @param account account that runs them; undefined for the account of this process
 * @throws Error of one line with the folder and the remedy
 */
export async function runnableBinaries(
  native: string,
  account?: Account,
  folders: readonly string[] = systemFolders,
): Promise<Binaries> {
  const here = await tryRun(native, account);
  if (typeof here !== 'string') return here;
  const ours = account ? await tryRun(native) : here;
  if (typeof ours === 'string') throw new Error(`the PostgreSQL in ${native} does not run (${ours}); set DATABASE_URL`);
  for (const folder of folders) {
    const there = await tryRun(await copyOnce(native, ours.version, folder), account);
    if (typeof there !== 'string') return there;
  }
  throw new Error(
    `the account ${account?.name} cannot run PostgreSQL in ${native} (${here}), nor in a copy under ` +
      `${folders.join(' or ')}; allow access (chmod o+x on each parent folder) or set DATABASE_URL`,
  );
}

/** Runs a program instead of reading mode bits, which also covers libraries, access lists and noexec mounts. */
async function tryRun(native: string | undefined, account?: Account): Promise<Binaries | string> {
  if (!native) return 'no copy';
  const initdb = path.join(native, 'bin', 'initdb');
  const postgres = path.join(native, 'bin', 'postgres');
  const as = { cwd: '/', env: serverEnvironment, uid: account?.uid, gid: account?.gid };
  try {
    const { stdout } = await promisify(execFile)(postgres, ['--version'], as);
    return { initdb, postgres, version: /\d+[\w.]*/.exec(stdout)?.[0] ?? '' };
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string };
    return stderr?.trim().split('\n')[0] || String(code);
  }
}

/** Copies to a temporary name and renames, so that a copy is complete or absent, also with concurrent starts. */
async function copyOnce(native: string, version: string, folder: string): Promise<string | undefined> {
  if (!(await claimSystemFolder(folder))) return undefined;
  const build = createHash('sha256').update(await readFile(path.join(native, 'bin', 'postgres')));
  const copy = path.join(folder, `postgres-${version}-${build.digest('hex').slice(0, 12)}`);
  if (await isRootOnly(copy)) return copy;
  const partial = `${copy}.new-${randomBytes(4).toString('hex')}`;
  try {
    await cp(native, partial, { recursive: true, verbatimSymlinks: true });
    await openToReaders(partial);
    await rename(partial, copy);
  } catch {
    // disk full, read-only file system, or another start was first: the check below decides
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return (await isRootOnly(copy)) ? copy : undefined;
}

/** Makes all files readable: a package installed under a strict umask is not, and neither is its copy. */
async function openToReaders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = path.join(entry.parentPath, entry.name);
    await chmod(file, entry.isDirectory() || (await stat(file)).mode & 0o100 ? 0o755 : 0o644);
  }
}
