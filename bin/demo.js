import { spawnSync } from 'node:child_process';

/** `npm run demo`: builds the service, then runs it and plays conversations through it in this process. */
console.log('Building …');
const { status, stdout, stderr } = spawnSync('npm run --silent build', { shell: true, encoding: 'utf8' });
if (status !== 0) {
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(status ?? 1);
}
await import(new URL('../dist/bin/demo/main.js', import.meta.url).href);
