import { existsSync } from 'node:fs';

/** `npm start`: runs the built service in this process, so that signals reach it. */
const entry = new URL('../dist/main.js', import.meta.url);
if (!existsSync(entry)) {
  console.error('The service is not built yet. Run `npm run build` first.');
  process.exit(1);
}
await import(entry.href);
