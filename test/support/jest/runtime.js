import asyncHooks from 'node:async_hooks';
import { createRequire } from 'node:module';
import Runtime from 'jest-runtime';
import { ModuleGraph } from './module-graph.js';
import { SequentialStorage } from './sequential-storage.js';

const require = createRequire(import.meta.url);
/** State that jest-circus and `jest.setTimeout` keep between spec files of one realm. */
const STATE = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'].map(name => Symbol.for(name));
const ESM = {
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};

/**
 * Runs spec files in the worker's own realm on one module graph: packages and src are loaded once per worker, a spec
 * and its support files once per spec file. Jest's own runtime loads everything again for each spec file.
 */
export default class SharedRuntime extends Runtime {
  constructor(...options) {
    super(...options);
    const [, , , transformer, sources, coverage, testPath] = options;
    this.sourceMaps = new Map();
    this.graph = new ModuleGraph({
      compile: async file => {
        const { code, sourceMapPath } = await transformer.transformAsync(
          file,
          { ...coverage, ...ESM },
          sources.get(file),
        );
        if (sourceMapPath) this.sourceMaps.set(file, sourceMapPath);
        return code;
      },
      jestGlobals: () => this.requireModuleOrMock(testPath, '@jest/globals'),
    });
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(file) {
    return this.graph.import(file);
  }

  /** Loads jest-circus, the only internal module. It keeps the state of a spec file, so that each gets a new one. */
  requireInternalModule(file) {
    for (const symbol of STATE) delete globalThis[symbol];
    delete require.cache[file];
    const kept = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
    // an assignment would not do: in later versions of Node it is a getter
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { configurable: true, value: SequentialStorage });
    try {
      return require(file);
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', kept);
    }
  }

  getSourceMaps() {
    return this.sourceMaps;
  }

  /** Leaves `process.getBuiltinModule` alone: it belongs to the worker. */
  installGetBuiltinModule() {}
}

/** Jest loads this file with `require`. */
export const __esModule = true;
