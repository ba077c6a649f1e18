import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * The password of the cluster's one role, from `<dataDir>/postgres.password`; drawn on the first start. It is hex, so
 * it stands in an address as it is.
 *
 * @throws one line when a cluster exists whose password is lost
 */
export async function clusterPassword(dataDir: string, clusterExists: boolean): Promise<string> {
  const file = path.join(dataDir, 'postgres.password');
  if (!clusterExists) await drawPassword(file);
  const password = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the password of the PostgreSQL cluster cannot be read from ${file} (${error.code}); restore it`);
  });
  return password.trim();
}

/** A link and not a rename: of two starts at once the second must take the first one's password, not replace it. */
async function drawPassword(file: string): Promise<void> {
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
