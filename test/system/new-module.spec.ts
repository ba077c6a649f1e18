import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../architecture/survey.js';

/**
 * Names that no real module will have: an ordinary one, one that contains a word of the copied module, and one that is
 * already listed in order.json.
 */
const PLANNED = 'glass-marbles';
const MODULES = ['paper-boats', 'owl-responses', PLANNED];

const order = JSON.parse(readFileSync(join(projectRoot, 'src/modules/order.json'), 'utf8')) as string[];
order.splice(order.indexOf('realtime'), 0, PLANNED);

let tree: string;

/** A copy of the working tree, uncommitted changes included, with this checkout's packages. */
beforeAll(() => {
  const left = new Set(['.git', '.data', 'node_modules', 'dist', 'coverage']);
  tree = mkdtempSync(join(tmpdir(), 'support-chat-new-module-'));
  cpSync(projectRoot, tree, { recursive: true, filter: path => path === projectRoot || !left.has(basename(path)) });
  symlinkSync(join(projectRoot, 'node_modules'), join(tree, 'node_modules'));
  writeFileSync(join(tree, 'src/modules/order.json'), `${JSON.stringify(order, null, 2)}\n`);
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

/** Tests that a new module cannot affect; they run in their own suites. Each entry begins a full test name. */
const ELSEWHERE = [
  'A project with a planted violation',
  'A database changed by hand',
  'Migrations (Migrations run once|Migrations log what|Migrations have no|A failing migration)',
  'Routes that are not public',
  'Public routes',
  'Browser pages of a foreign origin',
  "Another workspace's rows (A body that names|A malformed id|An id in capitals)",
];
const NEEDED = `^(?!${ELSEWHERE.join('|')})`;

interface Outcome {
  status: number | null;
  output: string;
}

/** Runs in the outer run's cluster but without its environment. */
function run(command: string, ...args: string[]): Promise<Outcome> {
  const { PATH = '', HOME = '', TEST_TEMPLATE_URL = '' } = process.env;
  const env = { PATH, HOME, TEST_DATABASE_URL: TEST_TEMPLATE_URL };
  const child = spawn(command, args, { cwd: tree, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise(resolve => child.on('close', status => resolve({ status, output })));
}

const node = (...args: string[]) => run(process.execPath, ...args);
const newModule = (...names: string[]) => node('bin/new-module.js', ...names);
const text = (path: string) => readFileSync(join(tree, path), 'utf8');

describe('`npm run new:module` with invalid input', () => {
  it.each([
    ['a missing name', [], /Which module\?/],
    ['an existing module', ['canned-responses'], /src\/modules\/canned-responses already/],
    ['an existing noun', ['messages'], /already/],
    ['an existing table', ['user-accounts'], /table user_account already/],
    ['an existing permission', ['widget-sessions', 'session'], /already/],
    ['a name in capitals', ['SavedReplies'], /not kebab-case/],
    ['a name in snake case', ['saved_replies'], /not kebab-case/],
    ['a path', ['../elsewhere/things'], /not kebab-case/],
    ['a singular', ['saved-reply'], /plural/],
    ['a plural equal to its singular', ['news', 'news'], /differ/],
    ['a reserved word of the language', ['classes'], /class cannot be a name/],
    ['a reserved word of SQL', ['tables'], /table cannot be a name/],
    ['a name that exists in every module', ['clocks'], /already/],
    ['an empty name', ['chat-helpers'], /helpers cannot be a name/],
    ['a name too long for a constraint', ['x'.repeat(40) + 's'], /at most 40/],
  ])('`npm run new:module` refuses %s with one line.', async (_case, names, reason) => {
    const { status, output } = await newModule(...names);
    expect(output.trim()).toMatch(reason);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(status).toBe(1);
  });

  it('`npm run new:module` writes nothing if a file it edits has changed unexpectedly.', async () => {
    const path = 'src/events.ts';
    const before = text(path);
    writeFileSync(join(tree, path), before.replace('  ...CANNED_RESPONSE_EVENTS,', '  ...OTHER_EVENTS,'));
    try {
      const { status, output } = await newModule('paper-boats');
      expect(output).toMatch(/^src\/events\.ts has changed: .*bin\/new-module\/wiring\.js\.$/m);
      expect(status).toBe(1);
      expect(existsSync(join(tree, 'src/modules/paper-boats'))).toBe(false);
      expect(text('src/entities.ts')).not.toMatch(/PaperBoat/);
    } finally {
      writeFileSync(join(tree, path), before);
    }
  });

  it('`npm run new:module` refuses to copy code that it does not know to be specific to canned responses.', async () => {
    const path = 'src/modules/canned-responses/canned-responses.errors.ts';
    const before = text(path);
    writeFileSync(join(tree, path), `${before}\nexport const TEMPLATE = 1;\n`);
    try {
      const { status, output } = await newModule('paper-boats');
      expect(output).toMatch(/canned-responses\.errors\.ts contains text that bin\/new-module\/copy\.js/);
      expect(status).toBe(1);
    } finally {
      writeFileSync(join(tree, path), before);
    }
  });
});

describe('A new module', () => {
  /** Paths of all created and changed files. */
  let touched: string[];
  let code: string[];

  beforeAll(async () => {
    const outputs: string[] = [];
    for (const name of MODULES) {
      const outcome = await run('npm', 'run', '--silent', 'new:module', '--', name);
      if (outcome.status !== 0) throw new Error(outcome.output);
      outputs.push(outcome.output);
    }
    touched = [...new Set(outputs.join('\n').match(/^ {2}(src|test)\/\S+$/gm))].map(line => line.trim());
    code = touched.filter(path => path.endsWith('.ts'));
  }, 60_000);

  it('`npm run new:module` lists the files it created and changed.', () => {
    expect(touched).toEqual(
      expect.arrayContaining([
        'src/modules/paper-boats/paper-boat.ts',
        'src/modules/paper-boats/paper-boats.service.ts',
        'src/modules/order.json',
        'src/app.module.ts',
        'src/entities.ts',
        'test/api/paper-boats.spec.ts',
      ]),
    );
  });

  it('A new module contains no word of the module it was copied from.', () => {
    const newFiles = touched.filter(path => /paper-boat|owl-response/.test(path));
    expect(newFiles.length).toBeGreaterThan(20);
    for (const path of newFiles)
      expect([path, text(path)]).toEqual([path, expect.not.stringMatching(/canned|render/i)]);
    expect(text('src/modules/owl-responses/owl-responses.controller.ts')).toMatch(`'Create an owl response.'`);
    expect(text('src/modules/paper-boats/paper-boats.errors.ts')).toMatch(`'paper_boat_short_code_taken'`);
  });

  it('A new module is placed after canned-responses and before assignment, or at its planned position.', () => {
    const after = JSON.parse(text('src/modules/order.json')) as string[];
    const following = after.slice(after.indexOf('canned-responses') + 1, after.indexOf('assignment'));
    expect(following.slice(0, 2)).toEqual(['owl-responses', 'paper-boats']);
    expect(after.filter(name => !['paper-boats', 'owl-responses'].includes(name))).toEqual(order);
    const classOf = (name: string) =>
      name.replace(/(^|-)(.)/g, (_whole, _dash, letter: string) => letter.toUpperCase());
    const bound = [...text('src/app.module.ts').matchAll(/^ {2}(\w+)Module,$/gm)].map(([, name]) => name);
    const positions = after.map(name => bound.indexOf(classOf(name))).filter(position => position !== -1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('A module cannot be created twice.', async () => {
    const { status, output } = await newModule('paper-boats');
    expect(output).toMatch(/already/);
    expect(status).toBe(1);
  });

  it('A new module passes the format, lint and type checks.', async () => {
    const tsconfig = { extends: './tsconfig.json', include: ['src', ...code.filter(path => path.startsWith('test/'))] };
    writeFileSync(join(tree, 'tsconfig.new-module.json'), JSON.stringify(tsconfig));
    const [format, lintAndTypes] = await Promise.all([
      node('node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', ...touched),
      node('test/architecture/lint-and-types.js', 'tsconfig.new-module.json', ...code),
    ]);
    expect(format).toEqual({ status: 0, output: '' });
    expect(lintAndTypes).toEqual({ status: 0, output: '' });
  }, 300_000);

  it('A new module passes the architecture, schema, route and API tests, and appears in the generated documents.', async () => {
    const docs = await node('--import', './test/support/read-typescript.js', 'src/bin/write-docs.ts');
    expect(docs).toEqual({ status: 0, output: '' });
    expect(text('docs/generated/routes.md')).toMatch('/v1/paper-boats/{id}');
    expect(text('docs/generated/errors.md')).toMatch('paper_boat_short_code_taken');
    expect(text('docs/generated/events.md')).toMatch('paper_boat.created');
    const tests = await node(
      ...['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', '--runInBand'],
      ...['test/architecture/architecture.spec.ts', 'test/platform/schema.spec.ts', 'test/contract/route-walk.spec.ts'],
      ...MODULES.slice(0, 2).map(name => `test/api/${name}.spec.ts`),
      ...['--testNamePattern', NEEDED],
    );
    expect(tests).toEqual({ status: 0, output: expect.stringMatching(/^Test Suites: 5 passed, 5 total$/m) });
  }, 300_000);
});
