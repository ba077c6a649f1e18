import { spawnSync } from 'node:child_process';

/**
 * The one gate: format, lint, types, architecture, fresh documents, tests. CI calls this and nothing else.
 * `--fast` leaves out the tests that need a database. Goes on after a failure: one run says all that is wrong.
 */
const fast = process.argv.includes('--fast');
const steps = [
  ['format', 'npx prettier --check --log-level warn .'],
  ['sdk', 'npm run --silent build:sdk'],
  ['lint', 'npm run --silent lint'],
  ['types', 'npm run --silent types'],
  ['build', 'npx nest build'],
  ['documents', 'node dist/bin/write-docs.js --check'],
  ['sdk types', 'npm run --silent docs:sdk -- --check'],
  ['tests', fast ? 'npm run --silent jest -- test/architecture/architecture.spec.ts' : 'npm run --silent test:built'],
];

const failed = [];
for (const [index, [name, command]] of steps.entries()) {
  const started = Date.now();
  console.log(`\n[${index + 1}/${steps.length}] ${name}`);
  const { status } = spawnSync(command, { stdio: 'inherit', shell: true });
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`${name} ${status === 0 ? 'ok' : 'failed'}, ${seconds} s`);
  if (status !== 0) failed.push(`${name} failed: ${command}`);
}
for (const line of failed) console.error(`FAILED: ${line}`);
process.exitCode = failed.length === 0 ? 0 : 1;
