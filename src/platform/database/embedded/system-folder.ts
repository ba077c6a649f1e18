import { chmod, lstat, mkdir } from 'node:fs/promises';

/**
 * Folders in which root stores binaries and clusters when PostgreSQL's account cannot enter the data folder. Used only
 * by root. /var/tmp is last, because systems may clean it.
 */
export const systemFolders: readonly string[] = ['/var/lib/support-chat-platform', '/var/tmp/support-chat-platform'];

/** Creates the folder or accepts an existing one. Returns false when that fails or it is not `isRootOnly`. */
export async function claimSystemFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    await chmod(folder, 0o711); // not with mkdir's mode, which the umask restricts
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
  }
  return isRootOnly(folder);
}

/**
 * Checks that only root can change the folder and that everyone can enter it. In a shared folder like /var/tmp an
 * attacker could create it first, to make us run their binaries or to read our data; so a folder that is not owned by
 * root, is writable by others or is a symbolic link is rejected.
 */
export async function isRootOnly(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return !!found?.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0 && (found.mode & 0o001) !== 0;
}
