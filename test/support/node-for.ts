import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Path of a node that the account can execute. A version manager may keep the current node in a home folder that only
 * its owner can enter; then node is copied into `folder`.
 */
export function nodeFor(account: { uid: number; gid: number }, folder: string): string {
  const { error } = spawnSync(process.execPath, ['--version'], { cwd: '/', uid: account.uid, gid: account.gid });
  if (!error) return process.execPath;
  const copy = join(folder, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  return copy;
}
