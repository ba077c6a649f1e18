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
 * Adds the new module to the files that list every module, by duplicating the lines that name canned responses.
 *
 * @returns the new texts by path
 * @throws Refusal when a file does not contain these lines as expected
 */
export function wire(root, names, migration) {
  const changed = new Map();
  const change = (path, ...edits) => {
    const text = edits.reduce((before, edit) => edit(before, path), readFileSync(join(root, path), 'utf8'));
    changed.set(path, text);
  };
  const duplicate = (...patterns) => duplicateLines(patterns, line => renamed(line, names));
  const order = JSON.parse(readFileSync(join(root, ORDER), 'utf8'));

  // a planned module is listed already and keeps its position
  if (!order.includes(names.plural)) change(ORDER, duplicate(/^ *"canned-responses",$/));
  change('src/entities.ts', duplicateImport(names), duplicate(/^ {2}CannedResponseEntity,$/));
  change('src/app.module.ts', duplicateImport(names), moduleInOrder(order, names));
  const permissions = ['read', 'write'].map(kind => new RegExp(`^ {2}'canned-responses:${kind}': 'agent',$`));
  change('src/kernel/permission.ts', duplicate(...permissions));
  change('src/events.ts', duplicateImport(names), duplicate(/^ {2}\.\.\.CANNED_RESPONSE_EVENTS,$/));
  change(MIGRATIONS, lastMigration(migration));
  change(GOLDEN, table(names));

  const row = line => renamed(line.replace(/\bcanned\b(?!-)/g, names.singularVariable), names);
  change(
    WALK,
    duplicate(/^ *'PATCH \/v1\/canned-responses\/\{id\}': /),
    duplicateLines([/^ *const canned = await desk\.owner\.api\.post\('\/v1\/canned-responses', /], row),
    duplicateLines([/^ *'canned-responses': canned\.data\.id,$/], row),
    duplicate(/^ *`\/v1\/canned-responses\/\$\{ids\['canned-responses'\]\}`,$/),
  );
  return changed;
}

/** Appends renamed copies of lines, each of which must occur exactly once. */
function duplicateLines(patterns, rename) {
  return (text, path) => {
    const lines = text.split('\n');
    const found = patterns.map(pattern => onlyOne(lines, pattern, path));
    const end = Math.max(...found) + 1;
    return [...lines.slice(0, end), ...found.map(at => rename(lines[at])), ...lines.slice(end)].join('\n');
  };
}

/** Inserts a renamed copy of the model's import, sorted by path among its neighbours. */
function duplicateImport(names) {
  return (text, path) => {
    const statements = [...text.matchAll(/^import [^;]*? from '([^']*)';$/gm)];
    const at = onlyOne(
      statements.map(([, from]) => from),
      /\/canned-responses\/[^/]+$/,
      path,
    );
    const [statement, from] = statements[at];
    const newPath = renamed(from, names);
    const folder = from.slice(0, from.indexOf('canned-responses/'));
    const neighbours = statements.filter(([, other]) => other.startsWith(folder) && other[folder.length] !== '.');
    const next = neighbours.find(([, other]) => other > newPath);
    const last = neighbours.at(-1);
    const position = next ? next.index : last.index + last[0].length + 1;
    return `${text.slice(0, position)}${renamed(statement, names)}\n${text.slice(position)}`;
  };
}

/** Inserts the module after the last one that precedes it in the module order. */
function moduleInOrder(order, names) {
  return (text, path) => {
    const lines = text.split('\n');
    const rank = order.includes(names.plural) ? order.indexOf(names.plural) : order.indexOf('canned-responses') + 1;
    const preceding = order.slice(0, rank).map(name => `  ${pascal(name)}Module,`);
    onlyOne(lines, /^ {2}CannedResponsesModule,$/, path);
    const at = lines.findLastIndex(line => preceding.includes(line));
    return [...lines.slice(0, at + 1), `  ${names.Plural}Module,`, ...lines.slice(at + 1)].join('\n');
  };
}

function lastMigration({ file, className }) {
  return (text, path) => {
    const list = /export const MIGRATIONS = \[([^\]]*)\];/;
    const found = list.exec(text);
    if (!found) throw missing(path, list);
    const names = found[1].split(',').map(name => name.trim());
    const statement = `import { ${className} } from './${file.split('/').at(-1).replace(/\.ts$/, '.js')}';\n`;
    const imports = [...text.matchAll(/^import .*;\n/gm)].at(-1);
    const after = imports.index + imports[0].length;
    const all = [...names.filter(name => name !== ''), className].join(', ');
    return `${text.slice(0, after)}${statement}${text.slice(after)}`.replace(
      list,
      `export const MIGRATIONS = [${all}];`,
    );
  };
}

/** Inserts the table's description in the schema's golden file, sorted by name. */
function table(names) {
  return (text, path) => {
    const blocks = text.split(/\n(?=\n)/).map(block => block.replace(/^\n/, ''));
    const at = onlyOne(blocks, /^table canned_response\n/, path);
    const block = renamed(blocks[at], names)
      .split('\n')
      .filter(line => !/^ {2}usage_count /.test(line))
      .join('\n');
    const next = blocks.findIndex(other => !other.startsWith('table ') || other > block);
    const position = next === -1 ? blocks.length : next;
    return [...blocks.slice(0, position), block, ...blocks.slice(position)].join('\n\n').replace(/\n*$/, '\n');
  };
}

function onlyOne(texts, pattern, path) {
  const found = texts.flatMap((text, at) => (pattern.test(text) ? [at] : []));
  if (found.length !== 1) throw missing(path, pattern, found.length);
  return found[0];
}

function missing(path, pattern, times = 0) {
  return new Refusal(
    `${path} has changed: expected one line that matches ${pattern} but found ${times}; update bin/new-module/wiring.js.`,
  );
}
