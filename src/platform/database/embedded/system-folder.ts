import { chmod, lstat, mkdir } from 'node:fs/promises';

/**
 * Where root keeps what must lie outside the data folder: binaries and clusters whose own path PostgreSQL's account
 * cannot walk. Only root asks for these. /var/tmp comes last because systems may sweep it.
 */
export const systemFolders: readonly string[] = ['/var/lib/support-chat-platform', '/var/tmp/support-chat-platform'];

/** Makes the folder, or accepts the one that is there; false when it cannot be had or is not `rootsAlone`. */
export async function claimSystemFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    await chmod(folder, 0o711); // not mkdir's mode, which the umask narrows
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
  }
  return isRootOnly(folder);
}

/**
 * Whether root alone can change the folder, and everyone can enter it. In a shared place like /var/tmp somebody else
 * may have made it first, to have us run their binaries or to keep our rows under their eyes: what is not root's, is
 * writable by others or is a symbolic link is refused.
 */
export async function isRootOnly(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return !!found?.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0 && (found.mode & 0o001) !== 0;
}
