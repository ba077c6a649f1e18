import { createHash } from 'node:crypto';
import { access, lchown, lstat, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Account, firstClosedFolder, isRoot, serverAccount } from './account.js';
import { claimSystemFolder, systemFolders } from './system-folder.js';

/** The folder of the cluster and the account that runs it. */
export interface ClusterLocation {
  /** Absolute path without symbolic links. */
  cluster: string;
  /** Undefined for the account of this process. */
  account?: Account;
  /** True when the cluster exists. */
  exists: boolean;
}

/**
 * Returns `<dataDir>/postgres`, or, for root with a data folder that PostgreSQL's account cannot enter, a system folder
 * to which `<dataDir>/postgres.location` then points. An existing cluster is never replaced by an empty one.
 *
 * @param dataDir absolute path of an existing folder, without symbolic links
 * @throws Error of one line with the folder and the remedy
 */
export async function locateCluster(dataDir: string): Promise<ClusterLocation> {
  const pointer = await readFile(pointerFile(dataDir), 'utf8').catch(() => undefined);
  const cluster = pointer?.trim() || path.join(dataDir, 'postgres');
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && !isRoot() && owner.uid !== process.getuid?.()) {
    throw new Error(`${cluster} belongs to uid ${owner.uid}; run the service as that account or root, or set DATA_DIR`);
  }
  if (await isCluster(cluster)) return existingLocation(cluster);
  if (pointer) {
    throw new Error(
      `${pointerFile(dataDir)} names ${cluster}, which is no PostgreSQL cluster any more; ` +
        'bring it back, or delete that file to begin with an empty database',
    );
  }
  if (!isRoot()) return { cluster, exists: false };
  const account = await serverAccount();
  const closed = await firstClosedFolder(dataDir, account);
  return closed ? systemLocation(dataDir, closed, account) : { cluster, account, exists: false };
}

/** Records a cluster outside the data folder for later starts. Call it once the cluster is complete. */
export async function recordLocation(dataDir: string, cluster: string): Promise<void> {
  if (path.dirname(cluster) === dataDir) return;
  await writeFile(pointerFile(dataDir), `${cluster}\n`, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

export async function isCluster(folder: string): Promise<boolean> {
  return access(path.join(folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

const pointerFile = (dataDir: string): string => path.join(dataDir, 'postgres.location');

/**
 * Runs an existing cluster as its owner. Only a cluster owned by root (a restored backup) gets a new owner: with a tree
 * that another user can rearrange meanwhile, that user could obtain any file of the machine.
 */
async function existingLocation(cluster: string): Promise<ClusterLocation> {
  if (!isRoot()) return { cluster, exists: true };
  const { uid, gid } = await stat(cluster);
  const account = uid === 0 ? await serverAccount() : { name: `uid ${uid}`, uid, gid };
  const closed = await firstClosedFolder(path.dirname(cluster), account);
  if (closed) {
    throw new Error(
      `PostgreSQL runs as ${account.name}, which cannot enter ${closed} on the way to ${cluster}; ` +
        `chmod o+x ${closed}, move the data and set DATA_DIR, or set DATABASE_URL`,
    );
  }
  if (uid === 0) await chownTree(cluster, account);
  return { cluster, account, exists: true };
}

/** Chooses a system folder. Its name contains a hash of the data folder, to separate several installations. */
async function systemLocation(dataDir: string, closed: string, account: Account): Promise<ClusterLocation> {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  for (const folder of systemFolders) {
    const home = path.join(folder, name);
    if (!(await claimSystemFolder(folder)) || !(await claimSystemFolder(home))) continue;
    if (await firstClosedFolder(home, account)) continue;
    const cluster = path.join(home, 'postgres');
    return (await isCluster(cluster)) ? existingLocation(cluster) : { cluster, account, exists: false };
  }
  throw new Error(
    `PostgreSQL runs as ${account.name}, which cannot enter ${closed}, and none of ${systemFolders.join(', ')} is root's ` +
      `alone; chmod o+x ${closed}, set DATA_DIR to a folder it can enter, or set DATABASE_URL`,
  );
}

async function chownTree(folder: string, account: Account): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if ((await lstat(file)).uid === 0) await lchown(file, account.uid, account.gid);
  }
  await lchown(folder, account.uid, account.gid); // last, so that a start after a crash repeats the work
}
