import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { build } from 'vite';
import { compress } from '../ui/compress.js';

const folder = import.meta.dirname;
const locales = resolve(folder, 'locales');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/** Folder of the built widget. The service serves it as it is. */
export const dist = resolve(folder, 'dist');

/**
 * Builds the widget into `dist`: `widget.js`, the loader that pages include, and `widget/app-<hash>.js`, the chunk that
 * the loader imports. The loader contains the name of its chunk, as the constant CHUNK, and the chunk that of the folder
 * with the texts of other languages, `widget/i18n-<hash>/`, as the constant LOCALES. `widget/greeting-<hash>.js`, the
 * constant GREETING, is a module of its own, because most page views show no greeting. Each file is also stored
 * compressed, as `.br` and `.gz`, because the service compresses nothing. `package/` is the npm package, with its types.
 *
 * An instance of another version does not have this chunk and answers 404 with `no-store`. The loader then retries, and
 * finally loads `widget.js?fresh=1`, whose answer is not taken from a cache.
 */
export async function bundle() {
  // the value of the shell would be built in, and a test's would leave in what only development needs
  process.env.NODE_ENV = 'production';
  rmSync(dist, { recursive: true, force: true });
  const chunk = await buildChunk('app', { LOCALES: JSON.stringify(writeLocales()) });
  const greeting = await buildChunk('greeting', { CLOSE_NAMES: JSON.stringify(closeNames()) });
  // as a library: otherwise vite adds code to `import()` that a classic script cannot run
  const lib = {
    entry: resolve(folder, 'src/loader.ts'),
    formats: ['iife'],
    name: 'loader',
    fileName: () => 'widget.js',
  };
  await buildFiles({ lib }, { CHUNK: JSON.stringify(chunk), GREETING: JSON.stringify(greeting) });
  const { status } = spawnSync(process.execPath, [tsc, '-p', resolve(folder, 'tsconfig.package.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the package of the widget has type errors');
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && !entry.parentPath.endsWith('package')) compress(resolve(entry.parentPath, entry.name));
  }
}

/**
 * Writes the texts of all languages. One hash stands for all of them, so the chunk contains no list of hashes.
 * @returns the name of their folder
 */
function writeLocales() {
  const texts = readLocales().map(([name, entries]) => [`${name}.json`, JSON.stringify(entries)]);
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 8);
  const target = `widget/i18n-${hash}/`;
  mkdirSync(resolve(dist, target), { recursive: true });
  for (const [name, text] of texts) writeFileSync(resolve(dist, target, name), text);
  return target;
}

/** Returns the only text of the greeting's module, by language. */
function closeNames() {
  return Object.fromEntries(readLocales().map(([name, { close }]) => [name, close]));
}

/** @returns language and texts of each file, in a fixed order */
function readLocales() {
  return readdirSync(locales)
    .sort()
    .map(name => [name.replace('.json', ''), JSON.parse(readFileSync(resolve(locales, name), 'utf8'))]);
}

/** Builds a module that is imported later. @returns its name */
function buildChunk(name, define) {
  return buildFiles(
    {
      rolldownOptions: {
        transform: { inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] } },
        input: { [name]: resolve(folder, `src/${name}.ts${name === 'app' ? 'x' : ''}`) },
        preserveEntrySignatures: 'strict',
        output: { format: 'es', entryFileNames: 'widget/[name]-[hash].js' },
      },
    },
    define,
  );
}

/** @returns the name of the built entry */
async function buildFiles(options, define = {}) {
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    define,
    // shorter than the automatic runtime, which has its own function to make elements
    oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: 'es2022',
      // as written: the styles use nothing that a browser with `:has` and `color-mix` lacks
      cssTarget: 'esnext',
      modulePreload: false,
      ...options,
    },
  });
  const [{ output }] = [built].flat();
  return output.find(({ isEntry }) => isEntry).fileName;
}
