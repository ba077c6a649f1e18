import { createServer } from 'vite';
import { settings } from './settings.js';

/**
 * `npm run dev:dashboard`: serves the dashboard from its sources, and shows each change at once. It passes all other
 * requests on to the service at SERVICE_URL. The page has no Content-Security-Policy here; only the build has one.
 */
const service = process.env.SERVICE_URL ?? 'http://localhost:3000';

const server = await createServer({
  ...settings,
  base: '/dashboard/',
  server: {
    port: Number(process.env.PORT ?? 5175),
    proxy: { '^/(v1|ws|files|widget|chat|docs)([/.?]|$)': { target: service, ws: true } },
  },
});
await server.listen();
const [url] = server.resolvedUrls.local;
console.log(`
Open ${url}

The service must run on ${service}: npm run dev, or npm run demo, which prints an agent's e-mail and password.`);
