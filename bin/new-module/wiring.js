import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renamed } from './copy.js';
import { pascal } from './names.js';
import { Refusal } from './refusal.js';

const ORDER = 'src/modules/order.json';
const MIGRATIONS = 'src/platform/database/migrations/index.ts';
const GOLDEN = 'test/platform/golden/schema.txt';
const WALK = 'test/contract/route-walk.spec.ts';

/**
 * The files that name every module, with the new one in them. Canned responses are the anchor: what names them is said
 * again, of the new module. A file in which they are not found as expected is an error, never a guess.
 *
 * @returns their new texts by path
 */
export function wire(root, names, migration) {
  const changed = new Map();
  const change = (path, ...edits) => {
    const text = edits.reduce((before, edit) => edit(before, path), readFileSync(join(root, path), 'utf8'));
    changed.set(path, text);
  };
  const again = (...patterns) => sayAgain(patterns, line => renamed(line, names));
  const order = JSON.parse(readFileSync(join(root, ORDER), 'utf8'));

  // A name that was planned keeps its place.
  if (!order.includes(names.plural)) change(ORDER, again(/^ *"canned-responses",$/));
  change('src/entities.ts', importAgain(names), again(/^ {2}CannedResponseEntity,$/));
  change('src/app.module.ts', importAgain(names), moduleInOrder(order, names));
  const permissions = ['read', 'write'].map(kind => new RegExp(`^ {2}'canned-responses:${kind}': 'agent',$`));
  change('src/kernel/permission.ts', again(...permissions));
  change('src/events.ts', importAgain(names), again(/^ {2}\.\.\.CANNED_RESPONSE_EVENTS,$/));
  change(MIGRATIONS, lastMigration(migration));
  change(GOLDEN, table(names));

  const row = line => renamed(line.replace(/\bcanned\b(?!-)/g, names.singularVariable), names);
  change(
    WALK,
    again(/^ *'PATCH \/v1\/canned-responses\/\{id\}': /),
    sayAgain([/^ *const canned = await desk\.owner\.api\.post\('\/v1\/canned-responses', /], row),
    sayAgain([/^ *'canned-responses': canned\.data\.id,$/], row),
    again(/^ *`\/v1\/canned-responses\/\$\{ids\['canned-responses'\]\}`,$/),
  );
  return changed;
}

/** Lines that are each found once, followed by their renamed twins. */
function sayAgain(patterns, rename) {
  return (text, path) => {
    const lines = text.split('\n');
    const found = patterns.map(pattern => onlyOne(lines, pattern, path));
    const end = Math.max(...found) + 1;
    return [...lines.slice(0, end), ...found.map(at => rename(lines[at])), ...lines.slice(end)].join('\n');
  };
}

/** The import of the model, renamed, among its neighbours in the order of their paths. */
function importAgain(names) {
  return (text, path) => {
    const statements = [...text.matchAll(/^import [^;]*? from '([^']*)';$/gm)];
    const at = onlyOne(
      statements.map(([, from]) => from),
      /\/canned-responses\/[^/]+$/,
      path,
    );
    const [statement, from] = statements[at];
    const own = renamed(from, names);
    const folder = from.slice(0, from.indexOf('canned-responses/'));
    const neighbours = statements.filter(([, theirs]) => theirs.startsWith(folder) && theirs[folder.length] !== '.');
    const next = neighbours.find(([, theirs]) => theirs > own);
    const last = neighbours.at(-1);
    const place = next ? next.index : last.index + last[0].length + 1;
    return `${text.slice(0, place)}${renamed(statement, names)}\n${text.slice(place)}`;
  };
}

/** Right of the last module that stands left of it in the order. */
function moduleInOrder(order, names) {
  return (text, path) => {
    const lines = text.split('\n');
    const rank = order.includes(names.plural) ? order.indexOf(names.plural) : order.indexOf('canned-responses') + 1;
    const left = order.slice(0, rank).map(name => `  ${pascal(name)}Module,`);
    onlyOne(lines, /^ {2}CannedResponsesModule,$/, path);
    const at = lines.findLastIndex(line => left.includes(line));
    return [...lines.slice(0, at + 1), `  ${names.Plural}Module,`, ...lines.slice(at + 1)].join('\n');
  };
}

function lastMigration({ file, className }) {
  return (text, path) => {
    const list = /export const MIGRATIONS = \[([^\]]*)\];/;
    const found = list.exec(text);
    if (!found) throw missing(path, list);
    const names = found[1].split(',').map(name => name.trim());
    const own = `import { ${className} } from './${file.split('/').at(-1).replace(/\.ts$/, '.js')}';\n`;
    const imports = [...text.matchAll(/^import .*;\n/gm)].at(-1);
    const after = imports.index + imports[0].length;
    const all = [...names.filter(name => name !== ''), className].join(', ');
    return `${text.slice(0, after)}${own}${text.slice(after)}`.replace(list, `export const MIGRATIONS = [${all}];`);
  };
}

/** The table as the catalog will describe it, among the others in the order of their names. */
function table(names) {
  return (text, path) => {
    const blocks = text.split(/\n(?=\n)/).map(block => block.replace(/^\n/, ''));
    const at = onlyOne(blocks, /^table canned_response\n/, path);
    const own = renamed(blocks[at], names)
      .split('\n')
      .filter(line => !/^ {2}usage_count /.test(line))
      .join('\n');
    const next = blocks.findIndex(block => !block.startsWith('table ') || block > own);
    const place = next === -1 ? blocks.length : next;
    return [...blocks.slice(0, place), own, ...blocks.slice(place)].join('\n\n').replace(/\n*$/, '\n');
  };
}

function onlyOne(texts, pattern, path) {
  const found = texts.flatMap((text, at) => (pattern.test(text) ? [at] : []));
  if (found.length !== 1) throw missing(path, pattern, found.length);
  return found[0];
}

function missing(path, pattern, times = 0) {
  return new Refusal(
    `${path} has changed: ${pattern} was to be found once there and is ${times} times; teach bin/new-module/wiring.js.`,
  );
}
