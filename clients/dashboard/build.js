import { readdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'vite';
import { compress } from '../ui/compress.js';
import { settings } from './settings.js';

/**
 * `npm run build:dashboard`: builds the dashboard into `dist`: `index.html` and `assets/<name>-<hash>.js` and `.css`. The
 * page names its assets relative to itself, so that the service can serve it below any path. Each file is also stored
 * compressed, as `.br` and `.gz`.
 */
const dist = resolve(import.meta.dirname, 'dist');
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
    // no file within another one, as a `data:` address
    assetsInlineLimit: 0,
  },
});
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (entry.isFile()) compress(resolve(entry.parentPath, entry.name));
}
