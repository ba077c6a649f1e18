import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../architecture/survey.js';
import { linkPackages } from '../support/link-packages.js';

/**
 * A new module passes the whole gate as it was generated. `npm run check` takes too long here, so the gate leaves out the
 * tests that a new module cannot fail: those of other code, and those that name the routes they call. The others walk
 * over all code, tables, routes, events or collections, and so meet the new ones.
 */
const GATE = [
  'test/architecture/architecture.spec.ts',
  'test/platform/schema.spec.ts',
  'test/contract/documents.spec.ts',
  'test/contract/reference.spec.ts',
  'test/contract/reference-quality.spec.ts',
  'test/contract/requests.spec.ts',
  'test/contract/asyncapi.spec.ts',
  'test/contract/route-walk.spec.ts',
  'test/contract/permissions.spec.ts',
  'test/contract/event-registry.spec.ts',
  'test/contract/audit.spec.ts',
  'test/api/ground-rules.spec.ts',
];

/** Tests in these specs that a new module cannot fail. Each entry begins a full test name. */
const ELSEWHERE = [
  'A project with a planted violation',
  'A database changed by hand',
  'Migrations (Migrations run once|Migrations log what|Migrations have no|A failing migration)',
  'The redocly linter The linter fails',
  'Frames, refusals and closes',
  'Routes that are not public',
  'Public routes',
  'Browser pages of a foreign origin',
  "Another workspace's rows (A body that names|A malformed id|An id in capitals)",
  'Erasing a person|Unsending a message',
  '(Sign-ins|Refusals|Ends of sessions|Changes of keys).* in the log',
  'The log ',
  'Events without an entry in the audit log Every other event type',
  '(The response envelope|Request ids|Times and ids|Request bodies|Unknown routes|Response headers) ',
];
const NEEDED = `^(?!${ELSEWHERE.join('|')})`;

/** Most files that a plain resource may cost, created and changed ones and documents together. */
const MAX_FILES = 22;

/**
 * Names that no real module will have: an ordinary one, one that contains a word of the copied module, and one that is
 * already listed in order.json.
 */
const PLANNED = 'glass-marbles';
const MODULES = ['paper-boats', 'owl-responses', PLANNED];

const order = JSON.parse(readFileSync(join(projectRoot, 'src/modules/order.json'), 'utf8')) as string[];
order.splice(order.indexOf('realtime'), 0, PLANNED);

let tree: string;

/** A repository with the files of the working tree, uncommitted changes included, and this checkout's packages. */
beforeAll(async () => {
  const left = new Set(['.git', '.data', 'node_modules', 'dist', 'coverage']);
  tree = mkdtempSync(join(tmpdir(), 'support-chat-new-module-'));
  cpSync(projectRoot, tree, { recursive: true, filter: path => path === projectRoot || !left.has(basename(path)) });
  linkPackages(tree);
  writeFileSync(join(tree, 'src/modules/order.json'), `${JSON.stringify(order, null, 2)}\n`);
  await git('init', '--quiet');
  await git('add', '--all');
  await git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message', 'before');
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

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

async function git(...args: string[]): Promise<string> {
  const { status, output } = await run('git', ...args);
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${output}`);
  return output;
}

/** Paths of all created and changed files. */
async function touchedFiles(): Promise<string[]> {
  const lines = (await git('status', '--porcelain', '--untracked-files=all')).split('\n');
  return lines.filter(line => line !== '').map(line => line.slice(3));
}

const node = (...args: string[]) => run(process.execPath, ...args);
const npm = (...args: string[]) => run('npm', 'run', '--silent', ...args);
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
    const path = 'src/modules.ts';
    const before = text(path);
    writeFileSync(join(tree, path), before.replace('  CannedResponsesModule,', '  OtherResponsesModule,'));
    try {
      const { status, output } = await newModule('paper-boats');
      expect(output).toMatch(/^src\/modules\.ts has changed: .*bin\/new-module\/wiring\.js\.$/m);
      expect(status).toBe(1);
    } finally {
      writeFileSync(join(tree, path), before);
    }
    expect(await touchedFiles()).toEqual([]);
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
  let outputs: string[];
  let files: string[];
  let touched: string[];

  beforeAll(async () => {
    outputs = [];
    for (const name of MODULES) {
      const { status, output } = await npm('new:module', '--', name);
      if (status !== 0) throw new Error(output);
      outputs.push(output);
      if (name === MODULES[0]) files = await touchedFiles();
    }
    touched = await touchedFiles();
  }, 300_000);

  it(`A plain resource costs at most ${MAX_FILES} files, tests, migration and documents included.`, () => {
    expect(files).toEqual(expect.arrayContaining(['src/modules/paper-boats/paper-boat.ts', 'src/modules.ts']));
    expect([files.length <= MAX_FILES, files]).toEqual([true, files]);
  });

  it('`npm run new:module` lists the files it created and changed.', () => {
    const listed = outputs[0]?.match(/^ {2}(src|test|docs)\/\S+$/gm)?.map(line => line.trim()) ?? [];
    const found = files.map(path => path.replace(/^docs\/generated\/.*/, 'docs/generated'));
    expect(listed.sort()).toEqual([...new Set(found)].sort());
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
    const bound = [...text('src/modules.ts').matchAll(/^ {2}(\w+)Module,$/gm)].map(([, name]) => name);
    const positions = after.map(name => bound.indexOf(classOf(name))).filter(position => position !== -1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('A module cannot be created twice.', async () => {
    const { status, output } = await newModule('paper-boats');
    expect(output).toMatch(/already/);
    expect(status).toBe(1);
  });

  it('A new module appears in the generated documents, which its build confirms, and in the SDK.', async () => {
    expect(await npm('build')).toMatchObject({ status: 0 });
    expect(await node('dist/bin/write-docs.js', '--check')).toEqual({ status: 0, output: '' });
    expect(text('docs/generated/routes.md')).toMatch('/v1/paper-boats/{id}');
    expect(text('docs/generated/errors.md')).toMatch('paper_boat_short_code_taken');
    expect(text('docs/generated/events.md')).toMatch('paper_boat.created');
    expect(text('clients/sdk/src/generated/openapi.ts')).toMatch('"/v1/paper-boats/{id}"');
  }, 600_000);

  it('A new module passes the format, lint and type checks.', async () => {
    const code = touched.filter(path => path.endsWith('.ts'));
    const paths = MODULES.map(name => `'/v1/${name}'`).join(', ');
    const use = `import type { Collection } from '../clients/sdk/src/index.js';\nexport const all: Collection[] = [${paths}];`;
    writeFileSync(join(tree, 'test/new-collections.ts'), use);
    const include = ['src', 'test/new-collections.ts', ...code.filter(path => path.startsWith('test/'))];
    writeFileSync(join(tree, 'tsconfig.new-module.json'), JSON.stringify({ extends: './tsconfig.json', include }));
    const [format, lintAndTypes] = await Promise.all([
      node('node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', ...touched),
      node('test/architecture/lint-and-types.js', 'tsconfig.new-module.json', ...code),
    ]);
    expect(format).toEqual({ status: 0, output: '' });
    expect(lintAndTypes).toEqual({ status: 0, output: '' });
  }, 600_000);

  it('A new module passes its own tests and all tests that walk over code, tables, routes, events or collections.', async () => {
    const specs = [...GATE, ...MODULES.map(name => `test/api/${name}.spec.ts`)];
    const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
    const tests = await node(...jest, '--testTimeout', '120000', '--testNamePattern', NEEDED, ...specs);
    const passed = new RegExp(`^Test Suites: ${specs.length} passed, ${specs.length} total$`, 'm');
    expect(tests).toEqual({ status: 0, output: expect.stringMatching(passed) });
  }, 900_000);
});
