import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { compileWithSdk } from '../support/compile.js';

interface Snippet {
  /** Such as `clients/sdk/README.md:13`. */
  place: string;
  language: string;
  text: string;
}

/** Every file below a folder that ends so, but what is built or brought along. */
function filesIn(folder: string, end: string): string[] {
  return readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter(name => name.endsWith(end) && !/(^|\/)(node_modules|dist|generated)\//.test(name))
    .map(name => `${folder}/${name}`);
}

const PAGES = ['README.md', ...filesIn('docs', '.md'), ...filesIn('clients', '.md')];

function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: code = '', index }) => ({
    place: `${page}:${text.slice(0, index).split('\n').length}`,
    language,
    text: code,
  }));
}

const snippets = PAGES.flatMap(snippetsOf);
const inLanguage = (language: string) => snippets.filter(snippet => snippet.language === language);

/** What a snippet leaves to its reader: the page around it, and what only the reader knows. */
const READERS_OWN = `
import type { AgentTokens, ConversationView, EventView, MessageView } from '@support-chat/sdk';
declare global {
  const baseUrl: string, email: string, password: string, apiKey: string, memberId: string, channelId: string;
  const user: { email: string; name: string };
  const copy: { cursor?: string; take(event: EventView): void };
  function show(message: MessageView): void;
  function render(conversations: ConversationView[]): void;
  function keep(tokens: AgentTokens | null): void;
  function reload(): void;
  function askAgain(code: string): void;
  function redirect(status: number, address: string): void;
}`;

describe('what the documents show', () => {
  it('is in languages that are looked at here, and some of it in each', () => {
    const languages = ['sh', 'ts'];
    expect([...new Set(snippets.map(({ language }) => language))].sort()).toEqual(languages);
  });

  describe('in TypeScript', () => {
    let faults: string[][];
    beforeAll(() => {
      faults = compileWithSdk([...inLanguage('ts').map(({ text }) => text), READERS_OWN]);
    });

    it.each(inLanguage('ts').map(({ place }, index) => [place, index] as const))('compiles: %s', (_place, index) => {
      expect(faults[index]).toEqual([]);
    });

    it('would not, with a call that is not there', () => {
      const { text = '' } = inLanguage('ts').find(snippet => snippet.text.includes('startConversation')) ?? {};
      const [found] = compileWithSdk([text.replace('startConversation', 'startTalk'), READERS_OWN]);
      expect(found).toEqual([expect.stringContaining("Property 'startTalk' does not exist")]);
    });
  });

  it.each(inLanguage('sh').map(({ place, text }) => [place, text]))('for a shell is one: %s', (_place, text) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('the SDK’s README', () => {
  const readme = readFileSync('clients/sdk/README.md', 'utf8');
  const sources = filesIn('clients/sdk/src', '.ts').map(name => readFileSync(name, 'utf8'));

  it('names every code that the SDK gives by itself', () => {
    const own = new Set(sources.flatMap(text => [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code]) => code)));
    // as the service says it
    own.delete('unauthenticated');
    expect(own.size).toBeGreaterThan(3);
    expect([...own].filter(code => !readme.includes(`\`${code}\``))).toEqual([]);
  });
});
