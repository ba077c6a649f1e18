import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyOfModel } from './new-module/copy.js';
import { migration, spec } from './new-module/files.js';
import { namesOf } from './new-module/names.js';
import { Refusal } from './new-module/refusal.js';
import { wire } from './new-module/wiring.js';

/**
 * `npm run new:module -- saved-replies [saved-reply]`: a module like canned-responses, which is the one to copy: a noun
 * with a short code and a text, its table, routes, permissions, events, errors and tests, wired up. Everything is
 * thought out before the first file is written, so that a refusal changes nothing.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '..');

try {
  const names = namesOf(root, ...process.argv.slice(2));
  const copied = copyOfModel(root, names);
  const { path: migrationFile, text: migrationText, className } = migration(root, names);
  const made = new Map([...copied, [migrationFile, migrationText], spec(names)]);
  const changed = wire(root, names, { file: migrationFile, className });
  write(new Map([...made, ...changed]));
  report(names, [...made.keys()], [...changed.keys()]);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exit(1);
}

function write(files) {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const prettier = join(root, 'node_modules/prettier/bin/prettier.cjs');
  const paths = [...files.keys()].filter(path => /\.(ts|json)$/.test(path));
  if (!existsSync(prettier)) return console.log('prettier is not installed: run npm run format');
  const { status } = spawnSync(process.execPath, [prettier, '--write', '--log-level', 'warn', ...paths], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Refusal('The files are written, but prettier does not understand them.');
}

function report({ plural, words }, made, changed) {
  const list = paths => paths.map(path => `  ${path}\n`).join('');
  console.log(`Made the module ${plural}.

New:
${list(made)}
Wired up in:
${list(changed)}
Next:
  npm run docs                          the API reference, routes, errors and events
  npm run jest -- test/api/${plural}.spec.ts
  npm run check                         the gate, which it passes as it is

Then make it your own, before it lands: what a ${words} is, in src/modules/${plural} and its migration. The schema's
golden file takes over a change with GOLDEN=write npm run jest -- test/platform/schema.spec.ts
`);
}
