import { spawnSync } from 'node:child_process';

/**
 * The one gate: format, lint, types, architecture, fresh documents, tests. CI calls this and nothing else.
 * `--fast` leaves out the tests that need a database.
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

for (const [index, [name, command]] of steps.entries()) {
  const started = Date.now();
  console.log(`\n[${index + 1}/${steps.length}] ${name}`);
  const { status } = spawnSync(command, { stdio: 'inherit', shell: true });
  if (status !== 0) {
    console.error(`\n${name} failed: ${command}`);
    process.exit(status ?? 1);
  }
  console.log(`${name} ok, ${Math.round((Date.now() - started) / 1000)} s`);
}
