import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SourceTextModule, SyntheticModule } from 'node:vm';

const checkout = resolve(import.meta.dirname, '../../..');
/** Our files that a worker loads once. They keep nothing of a spec file. */
const SHARED = ['src/', 'dist/', 'test/support/compiled-reference.ts'].map(path => `${checkout}/${path}`);

/** The package that node cannot load by itself, because it is never built. */
const UI = '@support-chat/ui/';

/** The worker's modules: shared files by path, packages by name. */
const shared = new Map();
let lastLink = Promise.resolve();

/** The modules of one spec file: its own files, loaded anew, and those that the worker shares. */
export class ModuleGraph {
  own = new Map();

  /** @param options `compile` returns a file as an ES module, `jestGlobals` the exports of `@jest/globals` */
  constructor({ compile, jestGlobals }) {
    this.compile = compile;
    this.jestGlobals = jestGlobals;
  }

  async import(file) {
    const module = await this.moduleOf(file);
    await this.link(module);
    await module.evaluate();
    return module.namespace;
  }

  /** Links one graph at a time, because two graphs can have modules in common. */
  link(module) {
    const link = async () => {
      if (module.status === 'unlinked') await module.link((name, { identifier }) => this.resolve(name, identifier));
    };
    lastLink = lastLink.then(link, link);
    return lastLink;
  }

  resolve(specifier, from) {
    if (specifier === '@jest/globals') return remember(this.own, specifier, () => synthetic(this.jestGlobals()));
    const file = fileOf(specifier, from);
    if (file === null || file.startsWith(import.meta.dirname)) {
      const name = file === null ? specifier : pathToFileURL(file).href;
      return remember(shared, name, async () => synthetic(await import(name)));
    }
    if (isShared(from) && !isShared(file)) throw new Error(`${from} is shared and cannot import ${file}, which is not`);
    return this.moduleOf(file);
  }

  moduleOf(file) {
    return remember(isShared(file) ? shared : this.own, file, () => this.load(file));
  }

  async load(file) {
    return new SourceTextModule(await this.compile(file), {
      identifier: file,
      initializeImportMeta: meta => {
        meta.url = pathToFileURL(file).href;
        meta.filename = file;
        meta.dirname = dirname(file);
      },
      importModuleDynamically: specifier => {
        const target = fileOf(specifier, file);
        return target === null ? import(specifier) : this.import(target);
      },
    });
  }
}

const isShared = file => SHARED.some(path => file.startsWith(path));

/** Path of one of our files, or null for a package. An import of `x.js` can mean `x.ts`, and of `x.jsx` `x.tsx`. */
function fileOf(specifier, from) {
  if (specifier.startsWith(UI)) return fileOf(`./${specifier.slice(UI.length)}`, `${checkout}/clients/ui/src/index.ts`);
  if (!/^(\.{0,2}\/|file:)/.test(specifier)) return null;
  const file = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(dirname(from), specifier);
  if (file.startsWith(`${checkout}/node_modules/`)) return null;
  const source = file.replace(/\.js(x?)$/, '.ts$1');
  return existsSync(source) ? source : file;
}

function remember(registry, key, make) {
  if (!registry.has(key)) registry.set(key, Promise.resolve(make()));
  return registry.get(key);
}

function synthetic(exports) {
  const names = Object.keys(exports);
  return new SyntheticModule(names, function () {
    for (const name of names) this.setExport(name, exports[name]);
  });
}
