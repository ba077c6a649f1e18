import { createHash } from 'node:crypto';
import { access, lchown, lstat, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Account, firstClosedFolder, isRoot, serverAccount } from './account.js';
import { claimSystemFolder, systemFolders } from './system-folder.js';

/** Where the cluster lies, or will, and who runs it. */
export interface ClusterLocation {
  /** absolute, free of symbolic links */
  cluster: string;
  /** undefined for the account of this process */
  account?: Account;
  /** whether a cluster is there already */
  exists: boolean;
}

/**
 * `<dataDir>/postgres`, except for root in a data folder that PostgreSQL's account cannot enter: then a system folder,
 * to which `<dataDir>/postgres.location` points from then on. A cluster that exists is never left for an empty one.
 *
 * @param dataDir absolute, free of symbolic links, exists
 * @throws one line naming the folder and the remedy
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

/** Makes a place outside the data folder the one that later starts look in. Called once the cluster is whole. */
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
 * A cluster is run by its owner. Root takes over only what is root's own (a restored backup): changing the owner of a
 * tree that somebody else can rearrange meanwhile would hand them any file of the machine.
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
  if (uid === 0) await giveTree(cluster, account);
  return { cluster, account, exists: true };
}

/** The hash keeps several checkouts on one machine apart. */
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

async function giveTree(folder: string, account: Account): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if ((await lstat(file)).uid === 0) await lchown(file, account.uid, account.gid);
  }
  await lchown(folder, account.uid, account.gid); // last: a crash on the way is taken up again
}
