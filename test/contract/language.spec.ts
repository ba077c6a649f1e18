import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { proseFaults } from '../../lint/words.js';

const documents = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter(path => path !== '' && !path.startsWith('bench/runs/'));

/** Prose without code blocks and code spans, which quote names. */
const withoutCode = (text: string) => text.replace(/```[^]*?```/g, ' ').replace(/`[^`]*`/g, ' ');

/** Every summary, description and error message of a generated document. */
function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && ['summary', 'description', 'title'].includes(key) ? [inner] : textsOf(inner),
  );
}

describe('The language of the documents', () => {
  it('The documents include the README, the guides and the SDK’s README', () => {
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/REALTIME.md', 'clients/sdk/README.md']));
  });

  it.each(documents)('The document %s contains none of the words that the project does not use', path => {
    expect(proseFaults(withoutCode(readFileSync(path, 'utf8')))).toEqual([]);
  });

  it.each(['openapi.json', 'asyncapi.json'])(
    'The summaries and descriptions of %s contain none of these words',
    name => {
      const texts = textsOf(JSON.parse(readFileSync(`docs/generated/${name}`, 'utf8')));
      expect(texts.length).toBeGreaterThan(50);
      expect(texts.flatMap(text => proseFaults(withoutCode(text)).map(fault => `${text}: ${fault}`))).toEqual([]);
    },
  );

  it('A planted word in a document is found, and the same word in code is not', () => {
    expect(proseFaults(withoutCode('Whoever comes late waits.'))).toHaveLength(1);
    expect(proseFaults(withoutCode('Call `whoever()` first.'))).toEqual([]);
  });
});
