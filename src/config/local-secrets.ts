import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface LocalSecrets {
  jwt: string;
  encryption: string;
}

/**
 * Secrets of an installation that was given none: made at the first start and kept under the data folder, so that a
 * restart logs nobody out. Written whole beside its place and linked there, so that of two racing first starts
 * one wins and the other reads what the winner wrote.
 */
export function localSecrets(dataDir: string): LocalSecrets {
  const file = join(dataDir, 'secrets.json');
  mkdirSync(dataDir, { recursive: true });
  const fresh: LocalSecrets = { jwt: secret(), encryption: secret() };
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 });
    linkSync(draft, file);
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return JSON.parse(readFileSync(file, 'utf8')) as LocalSecrets;
  } finally {
    rmSync(draft, { force: true });
  }
}

function secret(): string {
  return randomBytes(36).toString('base64url');
}
