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
 * `npm run new:module -- saved-replies [saved-reply]`: generates a module as a copy of canned-responses. It has a
 * table, routes, permissions, events, errors and tests, and is registered in all lists and documents. All files are
 * prepared before the first is written, so that a refusal changes nothing.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PRETTIER = join(root, 'node_modules/prettier/bin/prettier.cjs');

try {
  const names = namesOf(root, ...process.argv.slice(2));
  const created = new Map([...copyOfModel(root, names), migration(root, names), spec(names)]);
  const changed = wire(root, names);
  if (!existsSync(PRETTIER)) throw new Refusal('Run `npm ci` first.');
  write(new Map([...created, ...changed]));
  report(names, [...created.keys()], [...changed.keys()]);
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
  const code = [...files.keys()].filter(path => /\.(ts|json)$/.test(path));
  run(process.execPath, PRETTIER, '--write', '--log-level', 'warn', ...code);
  run('npm', 'run', '--silent', 'docs');
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Refusal(`The files were written, but this failed: ${command} ${args.join(' ')}`);
}

function report({ plural }, created, changed) {
  const list = paths => paths.map(path => `  ${path}\n`).join('');
  console.log(`Created the module ${plural}.

New:
${list(created)}
Changed:
${list(changed)}  docs/generated

Next:
  npm run jest -- test/api/${plural}.spec.ts
  npm run check                         all checks, which the new module passes

Then adapt src/modules/${plural} and its migration before you merge. After a change of the schema, update its golden
file: GOLDEN=write npm run jest -- test/platform/schema.spec.ts
`);
}
