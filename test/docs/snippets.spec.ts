import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { compileWithSdk } from '../support/compile.js';

interface Snippet {
  /** File and line, such as `clients/sdk/README.md:13`. */
  location: string;
  language: string;
  text: string;
}

/** Files below a folder with this ending, without built and installed ones. */
function filesIn(folder: string, end: string): string[] {
  return readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter(name => name.endsWith(end) && !/(^|\/)(node_modules|dist|generated)\//.test(name))
    .map(name => `${folder}/${name}`);
}

const PAGES = ['README.md', ...filesIn('docs', '.md'), ...filesIn('clients', '.md'), ...filesIn('examples', '.md')];

function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: code = '', index }) => ({
    location: `${page}:${text.slice(0, index).split('\n').length}`,
    language,
    text: code,
  }));
}

const snippets = PAGES.flatMap(snippetsOf);
const inLanguage = (language: string) => snippets.filter(snippet => snippet.language === language);

/** Declarations of what snippets expect from the reader's own code. */
const READER_DECLARATIONS = `
import type { AgentTokens, ConversationView, EventView, MessageView } from '@support-chat/sdk';
declare global {
  const baseUrl: string, email: string, password: string, apiKey: string, memberId: string, channelId: string, contactId: string;
  const user: { email: string; name: string };
  const copy: { cursor?: string; take(event: EventView): void };
  function show(message: MessageView): void;
  function render(conversations: ConversationView[]): void;
  function keep(tokens: AgentTokens | null): void;
  function save(filename: string, content: string): void;
  function choose<T>(from: readonly T[]): Promise<T | undefined>;
  function reload(): void;
  function askAgain(code: string): void;
  function redirect(status: number, address: string): void;
}`;

describe('Code in the documents', () => {
  it('The documents use exactly the languages that are checked here.', () => {
    const languages = ['html', 'js', 'sh', 'ts'];
    expect([...new Set(snippets.map(({ language }) => language))].sort()).toEqual(languages);
  });

  describe('TypeScript snippets', () => {
    let faults: string[][];
    beforeAll(() => {
      faults = compileWithSdk([...inLanguage('ts').map(({ text }) => text), READER_DECLARATIONS]);
    });

    it.each(inLanguage('ts').map(({ location }, index) => [location, index] as const))(
      'The snippet compiles: %s',
      (_location, index) => {
        expect(faults[index]).toEqual([]);
      },
    );

    it('The check fails for a snippet that calls a missing method.', () => {
      const { text = '' } = inLanguage('ts').find(snippet => snippet.text.includes('startConversation')) ?? {};
      const [found] = compileWithSdk([text.replace('startConversation', 'startTalk'), READER_DECLARATIONS]);
      expect(found).toEqual([expect.stringContaining("Property 'startTalk' does not exist")]);
    });
  });

  it.each(inLanguage('sh').map(({ location, text }) => [location, text]))(
    'The shell snippet parses: %s',
    (_location, text) => {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    },
  );
});

/** Scripts of the pages that readers build. Their calls are checked with the widget's guide. */
describe('Scripts for pages', () => {
  const inPages = inLanguage('html').flatMap(({ location, text }) =>
    [...text.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(({ 1: code = '' }) => ({ location, text: code })),
  );
  const scripts = [...inLanguage('js'), ...inPages];

  it('The documents have such scripts.', () => expect(scripts.length).toBeGreaterThan(3));

  it.each(scripts.map(({ location, text }) => [location, text]))('The script at %s is valid.', (_location, text) => {
    expect(() => new Script(text)).not.toThrow();
  });
});

describe('The SDK’s README', () => {
  const readme = readFileSync('clients/sdk/README.md', 'utf8');
  const sources = filesIn('clients/sdk/src', '.ts').map(name => readFileSync(name, 'utf8'));

  it('The SDK’s README lists every error code that the SDK itself produces.', () => {
    const sdkCodes = new Set(
      sources.flatMap(text => [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code]) => code)),
    );
    // The service also returns this code.
    sdkCodes.delete('unauthenticated');
    expect(sdkCodes.size).toBeGreaterThan(3);
    expect([...sdkCodes].filter(code => !readme.includes(`\`${code}\``))).toEqual([]);
  });
});
