import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ESLint } from 'eslint';
import { projectRoot } from '../architecture/survey.js';

/** Lints a text as if it were a file of the project. The file does not exist. */
const eslint = new ESLint({
  cwd: projectRoot,
  overrideConfig: {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ['src/*.ts', 'src/*/*.ts', 'src/*/*/*.ts'] } },
    },
  },
});

// TypeScript schedules an update seconds after each file, which would keep the worker open.
const { setTimeout } = globalThis;
beforeAll(() => {
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((...planned) => setTimeout(...planned).unref());
});
afterAll(() => {
  jest.restoreAllMocks();
});

async function complaints(filePath: string, text: string): Promise<string[]> {
  const results = await eslint.lintText(`${text}\n`, { filePath });
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message));
}

const readsPort = 'export const port = process.env.PORT;';
const throwsHttp = `import { NotFoundException } from '@nestjs/common';\nexport const gone = new NotFoundException();`;
const logs = `console.log('planted');`;
const service = 'src/modules/bots/planted.service.ts';
const planted = 'src/modules/bots/planted.spec.ts';

describe('Lint errors', () => {
  it.each([
    ['process.env in a module', service, readsPort, 'no-restricted-properties'],
    ['process.env in main', 'src/planted.ts', 'export const { env } = process;', 'no-restricted-properties'],
    ['process.env through globalThis', service, 'export const e = globalThis.process.env;', 'no-restricted-syntax'],
    ['env imported from node', service, `export { env } from 'node:process';`, 'no-restricted-imports'],
    ['an HTTP exception in a service', service, throwsHttp, 'no-restricted-imports'],
    ['an HTTP exception in a pure file', 'src/modules/bots/planted.ts', throwsHttp, 'no-restricted-imports'],
    ['console in the server', service, logs, 'no-console'],
    ['a forgotten promise', service, 'Promise.resolve(1);', '@typescript-eslint/no-floating-promises'],
    [
      'a switch that forgets a case',
      service,
      `export function f(state: 'open' | 'closed') {\n  switch (state) {\n    case 'open':\n      return 1;\n  }\n}`,
      '@typescript-eslint/switch-exhaustiveness-check',
    ],
    [
      'a metaphor as the name of a method',
      service,
      'export class Bots {\n  tellAgents() {}\n}',
      'language/identifiers',
    ],
    [
      'a metaphor as a local name',
      service,
      'export const f = () => {\n  const heard = 1;\n  return heard;\n};',
      'language/identifiers',
    ],
    ['a metaphor in a destructured name', service, 'export const f = ({ twin }) => twin;', 'language/identifiers'],
    ['a metaphor in a constant', service, 'export const STANDING_COLUMNS = 1;', 'language/identifiers'],
    [
      'a comment that begins with a riddle',
      service,
      '/** What has been noted lately. */\nexport const a = 1;',
      'language/comments',
    ],
    [
      'a riddle over two line comments',
      service,
      '// Whether it is open, or\n// closed\nexport const a = 1;',
      'language/comments',
    ],
    [
      'a private word in a comment',
      service,
      '/** Sends it to whoever asks. */\nexport const a = 1;',
      'language/comments',
    ],
    [
      'a test name that does not stand alone',
      planted,
      "it('is told nothing twice', () => {});",
      'language/test-titles',
    ],
    ['a test name of one word', planted, "it('Works', () => {});", 'language/test-titles'],
    ['a private word in a test name', planted, "it('A twin of the request waits', () => {});", 'language/test-titles'],
    [
      'a riddle as the name of a table of tests',
      planted,
      "it.each([1])('is told %s', () => {});",
      'language/test-titles',
    ],
    ['a file of 251 lines', service, 'export {};\n'.repeat(251), 'max-lines'],
  ])('Lint refuses %s.', async (_case, filePath, text, rule) => {
    expect(await complaints(filePath, text)).toEqual([rule]);
  });
});

describe('Code without lint errors', () => {
  it.each([
    ['process.env in config', 'src/config/planted.ts', readsPort],
    ['console in a command of bin', 'src/bin/planted.ts', logs],
    ['an HTTP exception in a controller', 'src/modules/bots/planted.controller.ts', throwsHttp],
    ['a name on the wire', service, 'export interface View {\n  held_by: string;\n}'],
    ['a comment that states something', service, '/** Closes the sockets of a session. */\nexport const a = 1;'],
    ['a test name that is a sentence', planted, "it('An agent cannot read a foreign conversation', () => {});"],
    ['an unused name that starts with _', service, 'export const f = (_unused: number) => 1;'],
  ])('Lint allows %s.', async (_case, filePath, text) => {
    expect(await complaints(filePath, text)).toEqual([]);
  });
});
