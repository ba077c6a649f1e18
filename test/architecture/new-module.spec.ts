import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from './survey.js';

/**
 * Names that nobody will give to a real module, which this test would then find taken: an ordinary one, one that holds
 * the model's own words, and one whose place in the order is planned before it is made.
 */
const PLANNED = 'glass-marbles';
const MODULES = ['paper-boats', 'owl-responses', PLANNED];

const order = JSON.parse(readFileSync(join(projectRoot, 'src/modules/order.json'), 'utf8')) as string[];
order.splice(order.indexOf('realtime'), 0, PLANNED);

let tree: string;

/** The project as it lies here, changes included, with the packages of this checkout. */
beforeAll(() => {
  const left = new Set(['.git', '.data', 'node_modules', 'dist', 'coverage']);
  tree = mkdtempSync(join(tmpdir(), 'support-chat-new-module-'));
  cpSync(projectRoot, tree, { recursive: true, filter: path => path === projectRoot || !left.has(basename(path)) });
  symlinkSync(join(projectRoot, 'node_modules'), join(tree, 'node_modules'));
  writeFileSync(join(tree, 'src/modules/order.json'), `${JSON.stringify(order, null, 2)}\n`);
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

/**
 * What has nothing to do with a new module is tested where it lies: checks of the checks, tokens that no route takes,
 * bodies and parameters of other routes, and how migrations are run, whatever they do.
 */
const ELSEWHERE = [
  'a house with a planted violation',
  'a database that somebody has changed by hand',
  'migrations (run once|say what they did|may take as long|that fail)',
  'a route that is not public',
  'a public route',
  'a page of a foreign origin',
  "another workspace's rows (are refused where a body|and malformed ids|and an id in capitals)",
];
const NEEDED = `^(?!${ELSEWHERE.join('|')})`;

interface Outcome {
  status: number | null;
  said: string;
}

/** Without the environment of the run that this test is part of, but in its cluster. */
function run(command: string, ...args: string[]): Promise<Outcome> {
  const { PATH = '', HOME = '', TEST_TEMPLATE_URL = '' } = process.env;
  const env = { PATH, HOME, TEST_DATABASE_URL: TEST_TEMPLATE_URL };
  const child = spawn(command, args, { cwd: tree, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise(resolve => child.on('close', status => resolve({ status, said })));
}

const node = (...args: string[]) => run(process.execPath, ...args);
const newModule = (...names: string[]) => node('bin/new-module.js', ...names);
const text = (path: string) => readFileSync(join(tree, path), 'utf8');

describe('npm run new:module refuses', () => {
  it.each([
    ['no name', [], /Which module\?/],
    ['a module that is there', ['canned-responses'], /src\/modules\/canned-responses already/],
    ['a noun that is there', ['messages'], /already/],
    ['a table that is there', ['user-accounts'], /table user_account already/],
    ['a permission that is there', ['widget-sessions', 'session'], /already/],
    ['a name in capitals', ['SavedReplies'], /not kebab-case/],
    ['a name in snake case', ['saved_replies'], /not kebab-case/],
    ['a path', ['../elsewhere/things'], /not kebab-case/],
    ['a singular', ['saved-reply'], /plural/],
    ['a plural that is its singular', ['news', 'news'], /differ/],
    ['a word of the language', ['classes'], /class cannot be a name/],
    ['a word of SQL', ['tables'], /table cannot be a name/],
    ['a name that means something in every module', ['clocks'], /already/],
    ['a name that says nothing', ['chat-helpers'], /helpers cannot be a name/],
    ['a name too long for a constraint', ['x'.repeat(40) + 's'], /at most 40/],
  ])('%s, in one line', async (_what, names, reason) => {
    const { status, said } = await newModule(...names);
    expect(said.trim()).toMatch(reason);
    expect(said.trim().split('\n')).toHaveLength(1);
    expect(status).toBe(1);
  });

  it('to guess where a file has changed in which it expects something, and writes nothing', async () => {
    const path = 'src/events.ts';
    const before = text(path);
    writeFileSync(join(tree, path), before.replace('  ...CANNED_RESPONSE_EVENTS,', '  ...OTHER_EVENTS,'));
    try {
      const { status, said } = await newModule('paper-boats');
      expect(said).toMatch(/^src\/events\.ts has changed: .*bin\/new-module\/wiring\.js\.$/m);
      expect(status).toBe(1);
      expect(existsSync(join(tree, 'src/modules/paper-boats'))).toBe(false);
      expect(text('src/entities.ts')).not.toMatch(/PaperBoat/);
    } finally {
      writeFileSync(join(tree, path), before);
    }
  });

  it('to copy what it does not know to be special to canned responses', async () => {
    const path = 'src/modules/canned-responses/canned-responses.errors.ts';
    const before = text(path);
    writeFileSync(join(tree, path), `${before}\nexport const TEMPLATE = 1;\n`);
    try {
      const { status, said } = await newModule('paper-boats');
      expect(said).toMatch(/canned-responses\.errors\.ts contains text that bin\/new-module\/copy\.js/);
      expect(status).toBe(1);
    } finally {
      writeFileSync(join(tree, path), before);
    }
  });
});

describe('a new module', () => {
  /** Every file that was made or changed. */
  let touched: string[];
  let code: string[];

  beforeAll(async () => {
    const said: string[] = [];
    for (const name of MODULES) {
      const outcome = await run('npm', 'run', '--silent', 'new:module', '--', name);
      if (outcome.status !== 0) throw new Error(outcome.said);
      said.push(outcome.said);
    }
    touched = [...new Set(said.join('\n').match(/^ {2}(src|test)\/\S+$/gm))].map(line => line.trim());
    code = touched.filter(path => path.endsWith('.ts'));
  }, 60_000);

  it('is told of: what was made, what was changed, and what to do next', () => {
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

  it('has nothing left of the one it was copied from', () => {
    const own = touched.filter(path => /paper-boat|owl-response/.test(path));
    expect(own.length).toBeGreaterThan(20);
    for (const path of own) expect([path, text(path)]).toEqual([path, expect.not.stringMatching(/canned|render/i)]);
    expect(text('src/modules/owl-responses/owl-responses.controller.ts')).toMatch(`'Create an owl response.'`);
    expect(text('src/modules/paper-boats/paper-boats.errors.ts')).toMatch(`'paper_boat_short_code_taken'`);
  });

  it('stands right of the conversations and left of the echoes, or where its place was planned', () => {
    const after = JSON.parse(text('src/modules/order.json')) as string[];
    const talk = after.slice(after.indexOf('canned-responses') + 1, after.indexOf('assignment'));
    expect(talk.slice(0, 2)).toEqual(['owl-responses', 'paper-boats']);
    expect(after.filter(name => !['paper-boats', 'owl-responses'].includes(name))).toEqual(order);
    const classOf = (name: string) =>
      name.replace(/(^|-)(.)/g, (_whole, _dash, letter: string) => letter.toUpperCase());
    const bound = [...text('src/app.module.ts').matchAll(/^ {2}(\w+)Module,$/gm)].map(([, name]) => name);
    const places = after.map(name => bound.indexOf(classOf(name))).filter(place => place !== -1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('cannot be made twice', async () => {
    const { status, said } = await newModule('paper-boats');
    expect(said).toMatch(/already/);
    expect(status).toBe(1);
  });

  it('is formatted, linted and typed as everything else', async () => {
    const tsconfig = { extends: './tsconfig.json', include: ['src', ...code.filter(path => path.startsWith('test/'))] };
    writeFileSync(join(tree, 'tsconfig.new-module.json'), JSON.stringify(tsconfig));
    const [format, lintAndTypes] = await Promise.all([
      node('node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', ...touched),
      node('test/architecture/lint-and-types.js', 'tsconfig.new-module.json', ...code),
    ]);
    expect(format).toEqual({ status: 0, said: '' });
    expect(lintAndTypes).toEqual({ status: 0, said: '' });
  }, 300_000);

  it('keeps the nine rules, drifts in nothing from its table, is walked like every route, and keeps its own policies', async () => {
    const docs = await node('--import', './test/support/read-typescript.js', 'src/bin/write-docs.ts');
    expect(docs).toEqual({ status: 0, said: '' });
    expect(text('docs/generated/routes.md')).toMatch('/v1/paper-boats/{id}');
    expect(text('docs/generated/errors.md')).toMatch('paper_boat_short_code_taken');
    expect(text('docs/generated/events.md')).toMatch('paper_boat.created');
    const tests = await node(
      ...['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', '--runInBand'],
      ...['test/architecture/architecture.spec.ts', 'test/platform/schema.spec.ts', 'test/contract/route-walk.spec.ts'],
      ...MODULES.slice(0, 2).map(name => `test/api/${name}.spec.ts`),
      ...['--testNamePattern', NEEDED],
    );
    expect(tests).toEqual({ status: 0, said: expect.stringMatching(/^Test Suites: 5 passed, 5 total$/m) });
  }, 300_000);
});
