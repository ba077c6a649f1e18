import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** An operating-system account that PostgreSQL can run under. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * The account that PostgreSQL, which refuses uid 0, runs under when the service is root.
 * `/etc/passwd` and not `id`: slim images have the file but not always the program.
 *
 * @throws one line, when the machine knows neither `postgres` nor `nobody`
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
 * The first folder on the way to `folder`, itself included, that the account may not enter; undefined when the way is
 * free. `folder` is absolute, free of symbolic links, and exists. Access lists beyond the mode bits are not seen.
 */
export async function firstClosedFolder(folder: string, account: Account): Promise<string | undefined> {
  const parent = path.dirname(folder);
  const above = parent === folder ? undefined : await firstClosedFolder(parent, account);
  if (above) return above;
  const { mode, uid, gid } = await stat(folder);
  const enter = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  return mode & enter ? undefined : folder;
}
