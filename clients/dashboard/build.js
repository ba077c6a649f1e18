import { readdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'vite';
import { compress } from '../ui/compress.js';
import { settings } from './settings.js';

/**
 * `npm run build:dashboard`: builds the dashboard into `dist`: `index.html`, `preview.html` and `assets/<name>-<hash>.js`
 * and `.css`. The pages name their assets relative to themselves, so that the service can serve them below any path. Each
 * file is also stored compressed, as `.br` and `.gz`.
 */
const dist = resolve(import.meta.dirname, 'dist');
// the value of the shell would be built in, and a test's would leave in what only development needs
process.env.NODE_ENV = 'production';
rmSync(dist, { recursive: true, force: true });
await build({
  ...settings,
  base: './',
  logLevel: 'warn',
  build: {
    outDir: dist,
    target: 'es2022',
    // as written: the styles use nothing that a browser with `light-dark` lacks
    cssTarget: 'esnext',
    modulePreload: false,
    rolldownOptions: {
      input: ['index.html', 'preview.html'].map(name => resolve(import.meta.dirname, name)),
      output: {
        // many small files compress badly
        codeSplitting: {
          groups: [
            { name: 'settings-de', test: /src\/settings\/.*texts\/de\.ts$/ },
            { name: 'parts', test: /src\/settings\/[a-z-]+\.tsx?$|src\/(parts|forms)\//, minShareCount: 3 },
          ],
        },
      },
    },
    // no file within another one, as a `data:` address
    assetsInlineLimit: 0,
  },
});
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (entry.isFile()) compress(resolve(entry.parentPath, entry.name));
}
