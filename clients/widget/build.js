import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

/**
 * Builds the widget into `dist`: `widget.js`, the loader that pages include, and `widget/app-<hash>.js`, the chunk that
 * the loader imports. Each file is also stored compressed, as `.br` and `.gz`, because the service compresses nothing.
 */
const folder = import.meta.dirname;
const dist = resolve(folder, 'dist');
const common = {
  root: folder,
  configFile: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
};

rmSync(dist, { recursive: true, force: true });
const chunk = await build({
  ...common,
  build: {
    outDir: resolve(dist, 'widget'),
    target: 'es2022',
    modulePreload: false,
    rolldownOptions: {
      input: resolve(folder, 'src/app.tsx'),
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: 'app-[hash].js' },
    },
  },
});
const { fileName } = chunk.output.find(({ isEntry }) => isEntry);
await build({
  ...common,
  define: { CHUNK: JSON.stringify(`widget/${fileName}`) },
  build: {
    outDir: dist,
    emptyOutDir: false,
    target: 'es2022',
    lib: {
      entry: resolve(folder, 'src/loader.ts'),
      name: 'SupportChatLoader',
      formats: ['iife'],
      fileName: () => 'widget.js',
    },
  },
});

for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = resolve(entry.parentPath, entry.name);
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
}
