import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * `npm run sizes`: fails if a built front-end is larger than its limits. Sizes are those of the .gz files, in KB of 1,000
 * bytes. Every page of a customer loads the widget's loader; a visitor who opens the chat loads the rest. Its limits are
 * what is reached; ADR 0019 compares them with the targets. An agent who opens the dashboard loads its initial files,
 * which are those that its page names and all that these import.
 */
const KB = 1000;
const clients = resolve(import.meta.dirname, '../clients');

/** @returns name, without `.gz`, and KB of each file that the pattern matches */
function sizesIn(folder, pattern) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => pattern.test(name))
    .map(name => ({ name: name.slice(0, -'.gz'.length), kb: statSync(resolve(folder, name)).size / KB }));
}

const total = files => files.reduce((sum, { kb }) => sum + kb, 0);

function checkWidget() {
  const files = sizesIn(resolve(clients, 'widget/dist'), /\.js\.gz$/);
  const loader = files.find(({ name }) => name === 'widget.js');
  report('widget', files, [
    { part: 'loader', kb: loader?.kb ?? Infinity, limit: 4.8, target: 5 },
    { part: 'total', kb: total(files), limit: 42.5, target: 25 },
  ]);
}

function checkDashboard() {
  const dist = resolve(clients, 'dashboard/dist');
  const files = sizesIn(dist, /\.(js|css)\.gz$/);
  const initial = initialFiles(dist);
  const ofType = ending => files.filter(({ name }) => initial.has(name) && name.endsWith(ending));
  report('dashboard', files, [
    { part: 'initial scripts', kb: total(ofType('.js')) || Infinity, limit: 60 },
    { part: 'initial styles', kb: total(ofType('.css')) || Infinity, limit: 12 },
    { part: 'total', kb: total(files), limit: 220 },
  ]);
}

/** @returns names of the files that the page names, and of those that they import statically */
function initialFiles(dist) {
  const page = readFileSync(resolve(dist, 'index.html'), 'utf8');
  const found = new Set([...page.matchAll(/"\.\/(assets\/[^"]+)"/g)].map(([, name]) => name));
  for (const name of found) {
    if (!name.endsWith('.js')) continue;
    const script = readFileSync(resolve(dist, name), 'utf8');
    for (const [, imported] of script.matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([^"'`]+)["'`]/g)) {
      if (existsSync(resolve(dist, 'assets', imported))) found.add(`assets/${imported}`);
    }
  }
  return found;
}

function report(client, files, parts) {
  for (const { name, kb } of files) console.log(`${client}: ${name}: ${kb.toFixed(2)} KB gzip`);
  for (const { part, kb, limit, target = limit } of parts) {
    console.log(`${client}: ${part}: ${kb.toFixed(2)} KB gzip, limit ${limit.toFixed(1)}, target ${target.toFixed(1)}`);
    if (kb <= limit) continue;
    console.error(`FAILED: ${part} of the ${client}: ${(kb - limit).toFixed(2)} KB too large`);
    process.exitCode = 1;
  }
}

checkWidget();
checkDashboard();
