import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { generateTypes } from './generate.js';

/**
 * Generates the types of the service, then builds the package in both formats: ES modules in `dist`, CommonJS in
 * `dist/cjs`, each with its declarations. The package.json in `dist/cjs` marks these files as CommonJS for Node.js and
 * TypeScript.
 */
const folder = fileURLToPath(new URL('.', import.meta.url));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

await generateTypes();
rmSync(`${folder}dist`, { recursive: true, force: true });
const compilers = ['tsconfig.json', 'tsconfig.cjs.json'].map(project =>
  once(spawn(process.execPath, [tsc, '-p', `${folder}${project}`], { stdio: 'inherit' }), 'exit'),
);
for (const [status] of await Promise.all(compilers)) if (status !== 0) process.exit(status ?? 1);
writeFileSync(`${folder}dist/cjs/package.json`, '{ "type": "commonjs" }\n');
