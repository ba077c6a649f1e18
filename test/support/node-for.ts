import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The node of this very run, where the account can execute it. A version manager or npx may keep it in a home folder that
 * its owner alone may enter; a service that runs as somebody else is not installed there, so a copy in `folder`, which
 * the account can enter, stands for where it would be.
 */
export function nodeFor(account: { uid: number; gid: number }, folder: string): string {
  const { error } = spawnSync(process.execPath, ['--version'], { cwd: '/', uid: account.uid, gid: account.gid });
  if (!error) return process.execPath;
  const copy = join(folder, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  return copy;
}
