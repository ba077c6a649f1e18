import { watch } from 'node:fs';
import { resolve } from 'node:path';
import { preview } from 'vite';
import { bundle, dist } from './bundle.js';

/**
 * `npm run dev:widget`: builds the widget, serves it on a page of its own, and builds it again when a source changes. It
 * passes all other requests on to the service at SERVICE_URL.
 */
const service = process.env.SERVICE_URL ?? 'http://localhost:3000';
const folders = ['src', 'locales', '../ui/src'].map(name => resolve(import.meta.dirname, name));
/** Several files change at once when an editor saves them or git changes the branch. */
const SETTLE_MS = 100;

let building = Promise.resolve();
let timer;

function rebuild() {
  building = building.then(async () => {
    const started = performance.now();
    await bundle().then(
      () => console.log(`built in ${Math.round(performance.now() - started)} ms; reload the page`),
      error => console.error(error.message),
    );
  });
  return building;
}

await rebuild();
for (const folder of folders) {
  try {
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(rebuild, SETTLE_MS);
    });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

/** A plain page of a company. The token is not checked here: the page is for this machine alone. */
const page = token => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Widget</title>
<h1>A page with the widget</h1>
${token ? '' : '<form><label>Widget token of a channel <input name="widget_token" required></label> <button>Open</button></form>'}
<p style="margin-bottom: 200vh">Reload the page after a change.</p>
${token ? `<script async src="/widget.js" data-widget-token="${token.replace(/[^\w-]/g, '')}"></script>` : ''}
`;

const hostPage = {
  name: 'host-page',
  configurePreviewServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      const { pathname, searchParams } = new URL(request.url, 'http://localhost');
      if (pathname !== '/') return next();
      response.setHeader('Content-Type', 'text/html');
      response.end(page(searchParams.get('widget_token')));
    });
  },
};

const proxied = { target: service, ws: true };
const server = await preview({
  root: import.meta.dirname,
  configFile: false,
  appType: 'custom',
  plugins: [hostPage],
  build: { outDir: dist },
  preview: {
    port: Number(process.env.PORT ?? 5174),
    proxy: { '^/(v1|ws|files|chat|docs|unsubscribe)([/?]|$)': proxied },
  },
});
const [url] = server.resolvedUrls.local;
console.log(`
Open ${url}?widget_token=wt_…      the launcher on a page
     ${url}chat?widget_token=wt_…  the hosted chat page

The service must run on ${service}: npm run dev, or npm run demo, which prints a widget token.`);
