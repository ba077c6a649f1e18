import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';

/**
 * Hooks by which node reads our TypeScript as it is, without loading the compiler. They may also load
 * it many times over, each time with another line of it changed: whatever is imported from a module with `?mutant=2` is
 * the second mutant's own. Packages are loaded once, text is compiled once.
 */
const checkout = new URL('../../', import.meta.url).href;
const plain = new Map();
let mutations = [];

/** @param list each with `file`, `from` and `to`, or without for the source as it is */
export function initialize(list = []) {
  mutations = list;
}

/** TypeScript imports name what will be compiled; every one of a mutant is its own. */
export function resolve(specifier, context, next) {
  const { parentURL } = context;
  if (!specifier.startsWith('.') || !isTypescript(parentURL)) return next(specifier, context);
  const url = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
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

/** Of ours, and not of a package. */
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

/** A lock that is taken out so, without touching a file, must turn its tests red. */
async function mutated(file, { from, to }) {
  const parts = (await readFile(file, 'utf8')).split(from);
  if (parts.length !== 2) throw new Error(`${pathToFileURL(file).pathname} has not one ${from}`);
  return compile(parts.join(to), file);
}

async function compile(text, filename) {
  return (await transform(text, { filename, swcrc: true, sourceMaps: false })).code;
}
