import { readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * `npm run sizes`: fails if the built widget is larger than its limits. Sizes are those of the .gz files, in KB of 1,000
 * bytes. Every page of a customer loads the loader; a visitor who opens the chat loads the rest. The limits are what is
 * reached; ADR 0019 compares them with the targets.
 */
const dist = resolve(import.meta.dirname, '../clients/widget/dist');
const KB = 1000;
const LIMITS_KB = { loader: 4.8, total: 42.6 };
const TARGETS_KB = { loader: 5, total: 25 };

const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.js.gz'))
  .map(name => ({ name: name.slice(0, -'.gz'.length), kb: statSync(resolve(dist, name)).size / KB }));
const loader = files.find(({ name }) => name === 'widget.js');
const sizes = { loader: loader?.kb ?? Infinity, total: files.reduce((sum, { kb }) => sum + kb, 0) };

for (const { name, kb } of files) console.log(`${name}: ${kb.toFixed(2)} KB gzip`);
for (const [part, limit] of Object.entries(LIMITS_KB)) {
  const kb = sizes[part];
  console.log(`${part}: ${kb.toFixed(2)} KB gzip, limit ${limit.toFixed(1)}, target ${TARGETS_KB[part].toFixed(1)}`);
  if (kb > limit) {
    console.error(`FAILED: the ${part} of the widget is ${(kb - limit).toFixed(2)} KB too large`);
    process.exitCode = 1;
  }
}
