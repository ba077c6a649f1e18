import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Refusal } from './refusal.js';

const USAGE = 'npm run new:module -- saved-replies [saved-reply]';
const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Derived names such as `uq_x_short_code` must fit into the 63 bytes of a PostgreSQL identifier. */
const MAX_CHARACTERS = 40;

/** Reserved words of JavaScript and PostgreSQL, which cannot name a variable or an unquoted table. */
const RESERVED = new Set(
  `all analyse analyze and any arguments array as asc asymmetric async await binary both boolean break case cast catch
  check class collate collation column concurrently const constraint continue create cross current debugger default
  deferrable delete desc distinct do else end enum eval except export extends false fetch finally for foreign freeze
  from full function grant group having if ilike implements import in initially inner instanceof interface intersect
  into is isnull join lateral leading left let like limit localtime localtimestamp natural new not notnull null offset
  on only or order outer overlaps package placing primary private protected public references return returning right
  select similar some static super switch symmetric table tablesample then this throw to trailing true try typeof union
  unique user using var variadic verbose void when where while window with yield`.split(/\s+/),
);

/** Words without meaning; the architecture tests reject them too. */
const MEANINGLESS = /^(helpers?|utils?|managers?|common|types)$/;

/**
 * Derives all forms of a module's name.
 * @throws Refusal for a name that is not a kebab-case plural, is reserved, or is already used
 */
export function namesOf(root, plural, singular = singularOf(plural)) {
  if (!plural) throw new Refusal(`Which module? ${USAGE}`);
  if (!KEBAB.test(plural) || plural.length > MAX_CHARACTERS) {
    throw new Refusal(`${plural} is not kebab-case of at most ${MAX_CHARACTERS} characters: ${USAGE}`);
  }
  if (!singular) throw new Refusal(`${plural} does not look like a plural; if it is one, add its singular: ${USAGE}`);
  if (!KEBAB.test(singular) || singular.length > MAX_CHARACTERS)
    throw new Refusal(`${singular} is not kebab-case: ${USAGE}`);
  if (singular === plural) throw new Refusal(`The plural and the singular must differ: ${USAGE}`);
  const names = {
    plural,
    singular,
    Plural: pascal(plural),
    Singular: pascal(singular),
    pluralVariable: camel(plural),
    singularVariable: camel(singular),
    table: singular.replaceAll('-', '_'),
    wordsPlural: plural.replaceAll('-', ' '),
    words: singular.replaceAll('-', ' '),
  };
  const reserved = [names.pluralVariable, names.singularVariable, names.table].find(word => RESERVED.has(word));
  const meaningless = plural.split('-').find(word => MEANINGLESS.test(word));
  const invalid = reserved ?? meaningless;
  if (invalid) throw new Refusal(`${invalid} cannot be a name; choose a more specific one.`);
  refuseDuplicate(root, names);
  return names;
}

function refuseDuplicate(root, { plural, singular, Singular, table }) {
  const read = path => readFileSync(join(root, path), 'utf8');
  const paths = ['src', 'test/api'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true }).map(path => join(folder, path)),
  );
  const taken = [`${plural}.module.ts`, `${singular}.entity.ts`, `${plural}.spec.ts`];
  const existing = paths.find(path => path === join('src/modules', plural) || taken.includes(basename(path)));
  if (existing) throw new Refusal(`${existing} already exists.`);
  const tables = new RegExp(`CREATE TABLE ${table}\\b|name: '${table}'`);
  const shapes = new RegExp(`(class|interface|type) ${Singular}(View|Record|Entity)?\\b`);
  for (const path of paths.filter(path => /^src.(modules|platform).*\.ts$/.test(path))) {
    const text = read(path);
    if (tables.test(text)) throw new Refusal(`A table ${table} already exists: ${path}.`);
    if (shapes.test(text)) throw new Refusal(`The type ${Singular} already exists: ${path}.`);
  }
  if (read('src/kernel/permission.ts').includes(`'${plural}:`)) {
    throw new Refusal(`Permissions for ${plural} already exist.`);
  }
}

/** Returns the English singular, or undefined when no rule applies. */
function singularOf(plural = '') {
  if (/uses$/.test(plural)) return undefined;
  if (/[^aeiou]ies$/.test(plural)) return plural.replace(/ies$/, 'y');
  if (/(ss|sh|ch|x|zz)es$/.test(plural)) return plural.replace(/es$/, '');
  if (/[^sui]s$/.test(plural)) return plural.replace(/s$/, '');
  return undefined;
}

export function pascal(kebab) {
  return kebab.replace(/(^|-)([a-z0-9])/g, (_whole, _dash, letter) => letter.toUpperCase());
}

function camel(kebab) {
  return kebab.replace(/-([a-z0-9])/g, (_whole, letter) => letter.toUpperCase());
}
