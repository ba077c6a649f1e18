import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigInvalid } from './parse-env.js';

interface LocalSecrets {
  jwt: string;
  encryption: string;
}

/**
 * Reads the secrets from the data folder, or generates them at the first start, so that a restart logs nobody out. A
 * draft is written completely and then linked to its name: of two concurrent first starts one wins and the other reads
 * its file.
 * @throws ConfigInvalid when they can be neither written nor read; its message never contains the file's content
 */
export function localSecrets(dataDir: string): LocalSecrets {
  const file = join(dataDir, 'secrets.json');
  const fresh: LocalSecrets = { jwt: secret(), encryption: secret() };
  // a process id would not be unique: two containers that share the folder may have the same one
  const draft = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(draft, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 });
    linkSync(draft, file);
    return fresh;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    if (code === 'EEXIST' && existsSync(file)) return read(file);
    throw new ConfigInvalid([`DATA_DIR cannot keep the secrets that are generated at the first start: ${code}`]);
  } finally {
    discard(draft);
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // without a folder there is no draft
  }
}

function read(file: string): LocalSecrets {
  try {
    const { jwt, encryption } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof jwt === 'string' && typeof encryption === 'string') return { jwt, encryption };
  } catch {
    // reported below: the parser's message would repeat the file's content
  }
  throw new ConfigInvalid([`DATA_DIR holds a ${file} that cannot be read as secrets`]);
}

function secret(): string {
  return randomBytes(36).toString('base64url');
}
