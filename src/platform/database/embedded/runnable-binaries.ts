import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, cp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.js';
import { claimSystemFolder, isRootOnly, systemFolders } from './system-folder.js';

/** The programs of one PostgreSQL, where the account that runs them can read them. */
export interface Binaries {
  initdb: string;
  postgres: string;
  /** e.g. '18.4' */
  version: string;
}

/** What the programs see of the environment: a PGDATA or PGPORT of the operator's shell must not reach them. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * The binaries of `native` where they are or, for an account that cannot read them there (a checkout under /root), in a
 * copy that only root can change: one per build, made once.
 *
 * @param account who runs them; undefined for the account of this process
 * @throws one line naming the folder and the remedy
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
      `${folders.join(' or ')}; let it in (chmod o+x on each folder above) or set DATABASE_URL`,
  );
}

/** Asks the kernel instead of reading mode bits: libraries, access lists and noexec mounts are answered too. */
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

/** Copied aside and renamed, so that a copy is whole or absent, whoever else is copying. */
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
    // no room, a read-only system, or another start was first: the check below tells
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return (await isRootOnly(copy)) ? copy : undefined;
}

/** A package installed under a strict umask is closed file by file, and so would be its copy. */
async function openToReaders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = path.join(entry.parentPath, entry.name);
    await chmod(file, entry.isDirectory() || (await stat(file)).mode & 0o100 ? 0o755 : 0o644);
  }
}
