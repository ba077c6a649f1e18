import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** An operating-system account that PostgreSQL can run under. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** Returns true when this process runs as root. */
export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Finds the account that PostgreSQL runs under when the service is root, because PostgreSQL refuses uid 0. Reads
 * `/etc/passwd` instead of calling `id`: slim images have the file but not always the program.
 *
 * @throws Error of one line when the machine has neither `postgres` nor `nobody`
 */
export async function serverAccount(): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map(line => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(fields => fields[0] === name) ?? [];
    if (uid && gid && uid !== '0') return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root and this machine has neither a `postgres` nor a `nobody` account; ' +
      'create one (`useradd --system postgres`), run the service as an ordinary user, or set DATABASE_URL',
  );
}

/**
 * Finds the first folder on the path to `folder`, including `folder`, that the account may not enter; undefined when it
 * may enter all. `folder` must be absolute, without symbolic links, and exist. Only mode bits are checked, not access
 * lists.
 */
export async function firstClosedFolder(folder: string, account: Account): Promise<string | undefined> {
  const parent = path.dirname(folder);
  const above = parent === folder ? undefined : await firstClosedFolder(parent, account);
  if (above) return above;
  const { mode, uid, gid } = await stat(folder);
  const enter = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  return mode & enter ? undefined : folder;
}
