import { existsSync } from 'node:fs';

/** `npm start`: the built service, in this very process, so that signals reach it. */
const entry = new URL('../dist/main.js', import.meta.url);
if (!existsSync(entry)) {
  console.error('There is no build yet: run `npm run build` first.');
  process.exit(1);
}
await import(entry.href);
