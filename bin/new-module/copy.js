import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from './refusal.js';

const MODEL = 'canned-responses';
const FOLDER = `src/modules/${MODEL}`;

/** Words that are specific to canned responses. When one is left in a copy, this file must be updated. */
const SPECIAL = /render|template|variable|placeholder|usage|conversation|contact|channel/i;

/** Copies the files of canned-responses under the new name, without the parts that are specific to it. */
export function copyOfModel(root, names) {
  const copies = new Map();
  for (const file of readdirSync(join(root, FOLDER)).sort()) {
    if (file === 'template.ts' || file.endsWith('.spec.ts')) continue;
    const path = `${FOLDER}/${file}`;
    const text = withoutSpecials(path, readFileSync(join(root, path), 'utf8'));
    refuseCollisions(text, names);
    const rename = file.endsWith('.repository.ts') ? renameInQueries : renameInCode;
    copies.set(renamed(path, names), renamed(rename(text, names), names));
  }
  return copies;
}

/** Replaces every form of the model's name in a text. */
export function renamed(text, names) {
  const article = /^[aeiou]/.test(names.words) ? 'an' : 'a';
  return text
    .replaceAll(MODEL, names.plural)
    .replaceAll('canned-response', names.singular)
    .replaceAll('CannedResponses', names.Plural)
    .replaceAll('CannedResponse', names.Singular)
    .replaceAll('canned_response', names.table)
    .replaceAll('CANNED_RESPONSE', names.table.toUpperCase())
    .replace(/\b([Aa]) canned response\b/g, (_whole, [letter]) => letter + article.slice(1) + ` ${names.words}`)
    .replaceAll('canned responses', names.wordsPlural)
    .replaceAll('canned response', names.words)
    .replaceAll('Canned responses', capital(names.wordsPlural))
    .replaceAll('Canned response', capital(names.words))
    .replaceAll('ShortCodeTaken', `${names.Singular}ShortCodeTaken`)
    .replaceAll(`'short_code_taken'`, `'${names.table}_short_code_taken'`);
}

/** Renames the variables `response` and `responses`, but not these words within the model's name. */
function renameInCode(text, names) {
  return text
    .replace(/(?<![Cc]anned[- ])\bresponses\b/g, names.pluralVariable)
    .replace(/(?<![Cc]anned[- ])\bresponse\b/g, names.singularVariable);
}

/** Renames the SQL alias. It is in snake case, because PostgreSQL folds unquoted names to lower case. */
function renameInQueries(text, names) {
  return text.replace(/(?<![Cc]anned[- ])\bresponse\b/g, names.table);
}

function withoutSpecials(path, text) {
  let left = text.replace(/,\s*description:\s*'Variables: [^']*',?/, '');
  left = withoutLines(left, /usage_?count/i);
  left = withoutLines(left, /^\s*\/\*\* May contain variables/);
  left = withoutLines(left, /: (Conversations|Contacts|Channels)Service,$/);
  left = withoutLines(left, /^ {2}imports: \[ChannelsModule, ContactsModule, ConversationsModule\],$/);
  for (const method of ['render', 'countUse']) left = withoutMethod(left, method);
  for (const name of ['RENDERED', 'RenderCannedResponseBody', 'RenderedCannedResponseView']) {
    left = withoutDeclaration(left, name);
  }
  left = withoutUnusedImports(left);
  const leftover = left.split('\n').find(line => SPECIAL.test(line));
  if (leftover !== undefined) {
    throw new Refusal(`${path} contains text that bin/new-module/copy.js should leave out: ${leftover.trim()}`);
  }
  return left;
}

/** Removes matching lines, each with a one-line comment above it. */
function withoutLines(text, pattern) {
  const lines = text.split('\n');
  const matches = lines.map(line => pattern.test(line));
  return lines.filter((line, at) => !matches[at] && !(matches[at + 1] && /^\s*\/\*\*.*\*\/$/.test(line))).join('\n');
}

/** Removes a method, from its comment or first decorator to its closing brace. */
function withoutMethod(text, name) {
  const lines = text.split('\n');
  const head = lines.findIndex(line => new RegExp(`^ {2}(async )?${name}\\(`).test(line));
  if (head === -1) return text;
  const from = lines.findLastIndex((line, at) => at < head && line === '') + 1;
  const to = lines.findIndex((line, at) => at > head && line === '  }');
  return lines.filter((_line, at) => at < from - 1 || at > to).join('\n');
}

/** Removes a class or constant with its comment: the paragraph between two empty lines. */
function withoutDeclaration(text, name) {
  const declares = new RegExp(`^(export )?(class|const) ${name}\\b`, 'm');
  return text
    .split(/\n\n+/)
    .filter(paragraph => !declares.test(paragraph))
    .map(paragraph => paragraph.trimEnd())
    .join('\n\n')
    .concat('\n');
}

/** Removes imports that are no longer used. */
function withoutUnusedImports(text) {
  const imports = /^import (?:type )?\{([^}]*)\} from '[^']*';\n/gm;
  const body = text.replace(imports, '');
  return text.replace(imports, (whole, list) => {
    const all = list.split(',').map(name => name.trim());
    const used = all.filter(name => name !== '' && new RegExp(`\\b${name}\\b`).test(body));
    return used.length === 0 ? '' : whole.replace(`{${list}}`, `{ ${used.join(', ')} }`);
  });
}

/** Refuses a name that the copied code already uses for something else. */
function refuseCollisions(text, { Plural, Singular, pluralVariable, singularVariable }) {
  const code = text.replace(/\/\*[^]*?\*\//g, '').replace(/'[^'\n]*'/g, '');
  const words = new Set(code.match(/[A-Za-z_]\w*/g));
  const taken = [Plural, Singular, pluralVariable, singularVariable].find(name => words.has(name));
  if (taken) throw new Refusal(`${taken} is already used in every module; choose a more specific name.`);
}

export function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
