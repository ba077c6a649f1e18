import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renamed } from './copy.js';
import { pascal } from './names.js';
import { Refusal } from './refusal.js';

const ORDER = 'src/modules/order.json';
const MODULES = 'src/modules.ts';
const PERMISSIONS = 'src/kernel/permission.ts';
const SCHEMA = 'test/platform/golden/schema.txt';
const CALLS = 'test/contract/golden/permissions.txt';

/**
 * Adds the new module to the files that list every module, by duplicating the lines that name canned responses.
 *
 * @returns the new texts by path
 * @throws Refusal when a file does not contain these lines as expected
 */
export function wire(root, names) {
  const changed = new Map();
  const change = (path, ...edits) => {
    const text = edits.reduce((before, edit) => edit(before, path), readFileSync(join(root, path), 'utf8'));
    changed.set(path, text);
  };
  const duplicate = (...patterns) => duplicateLines(patterns, line => renamed(line, names));
  const order = JSON.parse(readFileSync(join(root, ORDER), 'utf8'));

  // a planned module is listed already and keeps its position
  if (!order.includes(names.plural)) change(ORDER, duplicate(/^ *"canned-responses",$/));
  change(MODULES, duplicateImport(names), moduleInOrder(order, names));
  const permissions = ['read', 'write'].map(kind => new RegExp(`^ {2}'canned-responses:${kind}': 'agent',$`));
  change(PERMISSIONS, duplicate(...permissions));
  change(SCHEMA, table(names));
  change(CALLS, calls(names));
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

/** Inserts a renamed copy of the model's import, sorted by path. */
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
    const next = statements.find(([, other]) => other > newPath);
    const last = statements.at(-1);
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

/** Inserts the calls of the new routes in the permission table, which is sorted by path and method. */
function calls(names) {
  return (text, path) => {
    const [titles, ...rows] = text.trimEnd().split('\n');
    const small = titles.split(' | ').findIndex(title => title.trim() === 'small key');
    const model = rows.filter(row => /^[A-Z]+ \/v1\/canned-responses(\/\{id\})? +\|/.test(row));
    if (model.length !== 5 || small === -1) throw missing(path, /canned-responses/, model.length);
    const copies = model.map(row => {
      const cells = row.split(' | ');
      cells[0] = renamed(cells[0].trimEnd(), names).padEnd(cells[0].length);
      // the scopes of this key are those of canned responses
      cells[small] = '403'.padEnd(cells[small].length);
      return cells.join(' | ');
    });
    const routeOf = row => row.replace(/^([A-Z]+) (\S+).*/, '$2 $1');
    const sorted = [...rows, ...copies].sort((a, b) => (routeOf(a) < routeOf(b) ? -1 : 1));
    return `${[titles, ...sorted].join('\n')}\n`;
  };
}

function onlyOne(texts, pattern, path) {
  const found = texts.flatMap((text, at) => (pattern.test(text) ? [at] : []));
  if (found.length !== 1) throw missing(path, pattern, found.length);
  return found[0];
}

function missing(path, pattern, times = 0) {
  return new Refusal(
    `${path} has changed: lines that match ${pattern} number ${times}; update bin/new-module/wiring.js.`,
  );
}
