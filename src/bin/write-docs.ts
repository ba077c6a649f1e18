import 'reflect-metadata';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createApp } from '../app.js';
import { environment, loadConfig } from '../config/config.js';
import { writeDocuments } from './documents.js';

/** `write-docs` writes the generated documents; `write-docs --check` fails when one of them is stale. */
const check = process.argv.includes('--check');
const config = loadConfig(environment({}, { LOG_LEVEL: 'silent', DATABASE_URL: 'postgres://nowhere.invalid/none' }));
const app = await createApp(config, undefined, { preview: true });
const stale: string[] = [];
for (const [file, text] of Object.entries(writeDocuments(app))) {
  if (read(file) === text) continue;
  if (check) stale.push(file);
  else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
if (stale.length > 0) {
  console.error(`stale: ${stale.join(', ')}; run npm run docs`);
  process.exit(1);
}
process.exit(0);

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
