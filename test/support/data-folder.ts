import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** More than all servers of a test run write. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * A new folder for a server's data. It stands in memory if that has enough space: creating the many small files of
 * cloned databases costs a disk's file system a large part of the run.
 */
export function dataFolder(prefix: string): string {
  const folder = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), prefix));
  chmodSync(folder, 0o711);
  return folder;
}

function hasMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Copies a folder's content with owners and permissions. */
export function copyAll(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', `${from}/.`, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cannot copy ${from}: ${stderr}`);
}
