import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';

/**
 * Loader hooks that let node run our TypeScript without the compiler. They can also load it several times, each with
 * one line mutated: every module imported below a module with `?mutant=2` belongs to the second mutant. Packages are
 * loaded once, and each text is compiled once.
 */
const checkout = new URL('../../', import.meta.url).href;
const plain = new Map();
let mutations = [];

/** @param list mutations, each with `file`, `from` and `to`, or without these for the unchanged source */
export function initialize(list = []) {
  mutations = list;
}

/** Resolves `.js` imports to `.ts` files where they exist. Each mutant gets its own modules. */
export function resolve(specifier, context, next) {
  const { parentURL } = context;
  if (!specifier.startsWith('.') || !isTypescript(parentURL)) return next(specifier, context);
  const url = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
  if (!existsSync(fileURLToPath(url))) return next(specifier, context);
  const mutant = new URL(parentURL).searchParams.get('mutant');
  if (mutant !== null) url.searchParams.set('mutant', mutant);
  return { url: url.href, format: 'module', shortCircuit: true };
}

export async function load(url, context, next) {
  if (!isTypescript(url)) return next(url, context);
  const file = fileURLToPath(url);
  const mutation = mutations[Number(new URL(url).searchParams.get('mutant'))];
  const source = mutation?.file && file.endsWith(mutation.file) ? await mutated(file, mutation) : await compiled(file);
  return { source, format: 'module', shortCircuit: true };
}

/** True for our files, false for a package's. */
function isTypescript(url) {
  if (!url?.startsWith(checkout) || url.startsWith(`${checkout}node_modules/`)) return false;
  return new URL(url).pathname.endsWith('.ts');
}

function compiled(file) {
  if (!plain.has(file))
    plain.set(
      file,
      readFile(file, 'utf8').then(text => compile(text, file)),
    );
  return plain.get(file);
}

/** Compiles a source with one text replaced, without touching the file. A removed check must fail its tests. */
async function mutated(file, { from, to }) {
  const parts = (await readFile(file, 'utf8')).split(from);
  if (parts.length !== 2) throw new Error(`${pathToFileURL(file).pathname} does not contain exactly one ${from}`);
  return compile(parts.join(to), file);
}

async function compile(text, filename) {
  return (await transform(text, { filename, swcrc: true, sourceMaps: false })).code;
}
