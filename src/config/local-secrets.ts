import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigInvalid } from './env.js';

interface LocalSecrets {
  jwt: string;
  encryption: string;
}

/**
 * Secrets of an installation that was given none: made at the first start and kept under the data folder, so that a
 * restart logs nobody out. Written whole beside its place and linked there, so that of two racing first starts
 * one wins and the other reads what the winner wrote.
 * @throws ConfigInvalid when they can be neither kept nor read; it never says what it read
 */
export function localSecrets(dataDir: string): LocalSecrets {
  const file = join(dataDir, 'secrets.json');
  const fresh: LocalSecrets = { jwt: secret(), encryption: secret() };
  // no process number: two containers that share the folder may have the same
  const draft = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(draft, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 });
    linkSync(draft, file);
    return fresh;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    if (code === 'EEXIST' && existsSync(file)) return read(file);
    throw new ConfigInvalid([`DATA_DIR cannot keep the secrets that are made at the first start: ${code}`]);
  } finally {
    discard(draft);
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // where there is no folder there is no draft
  }
}

function read(file: string): LocalSecrets {
  try {
    const { jwt, encryption } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof jwt === 'string' && typeof encryption === 'string') return { jwt, encryption };
  } catch {
    // told below: the parser's own words repeat what it read
  }
  throw new ConfigInvalid([`DATA_DIR holds a ${file} that cannot be read as secrets`]);
}

function secret(): string {
  return randomBytes(36).toString('base64url');
}
