import { spawn } from 'node:child_process';

/**
 * Runs all checks: format, lint, types, architecture, generated documents, tests. CI runs only this command.
 * `--fast` skips the tests that need a database. It continues after a failure, so that one run reports every fault.
 */
const fast = process.argv.includes('--fast');
const sdk = ['sdk', 'npm run --silent build:sdk'];
/** Each lane uses one core, so the two run in parallel. The output of a step is printed when it has finished. */
const lanes = [
  [['lint', 'npm run --silent lint']],
  [
    ['format', 'npx prettier --check --log-level warn .'],
    ['types', 'npm run --silent types'],
    ['build', 'npx nest build --no-type-check'],
    ['widget', 'npm run --silent build:widget'],
    ['dashboard', 'npm run --silent build:dashboard'],
    ['sizes', 'npm run --silent sizes'],
    ['documents', 'node dist/bin/write-docs.js --check'],
    ['api reference', 'npm run --silent lint:api'],
  ],
];
const tests = ['tests', `npm run --silent ${fast ? 'jest -- test/architecture/architecture.spec.ts' : 'test:built'}`];

const count = lanes.flat().length + 2;
const failed = [];
let done = 0;

/** @param stdio `inherit` to print the output at once, `pipe` to print it at the end */
async function run([name, command], stdio) {
  const started = Date.now();
  const child = spawn(command, { stdio: ['inherit', stdio, stdio], shell: true });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => output.push(chunk));
  const status = await new Promise(resolve => child.once('close', resolve));
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(Buffer.concat(output));
  console.log(`[${(done += 1)}/${count}] ${name} ${status === 0 ? 'ok' : 'failed'}, ${seconds} s\n`);
  if (status !== 0) failed.push(`${name} failed: ${command}`);
}

await run(sdk, 'pipe');
await Promise.all(
  lanes.map(async steps => {
    for (const step of steps) await run(step, 'pipe');
  }),
);
await run(tests, 'inherit');
for (const line of failed) console.error(`FAILED: ${line}`);
process.exitCode = failed.length === 0 ? 0 : 1;
