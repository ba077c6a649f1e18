import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Reads the password of the cluster's role from `<dataDir>/postgres.password`; the first start generates it. It is hex,
 * so it needs no escaping in a URL.
 *
 * @throws Error of one line when a cluster exists but its password is lost
 */
export async function clusterPassword(dataDir: string, clusterExists: boolean): Promise<string> {
  const file = path.join(dataDir, 'postgres.password');
  if (!clusterExists) await createPassword(file);
  const password = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the password of the PostgreSQL cluster cannot be read from ${file} (${error.code}); restore it`);
  });
  return password.trim();
}

/** Links the file into place instead of renaming it: a concurrent start must use the first password, not replace it. */
async function createPassword(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
