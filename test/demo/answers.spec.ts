import { describe, expect, it } from '@jest/globals';
import { Answers } from '../../src/bin/demo/answers.js';
import { loadDialogues } from '../../src/bin/demo/dialogue.js';

const NONE: ReadonlySet<string> = new Set();

describe('The answers of the demo’s shop page', () => {
  it('A question gets the agent’s answer to the most similar question of the dialogues.', async () => {
    const answers = new Answers(await loadDialogues());
    expect(answers.find('my boots are too tight, can I swap them?', NONE)).toEqual([
      expect.stringContaining('Worn indoors is fine'),
    ]);
    expect(answers.find('The voucher WELCOME15 doesn’t work', NONE).join(' ')).toContain('What is in the basket');
  });

  it('An answer of several messages is given whole, and in order.', async () => {
    const answers = new Answers(await loadDialogues());
    expect(answers.find('Is my order lost? The tracking page has not moved since Saturday.', NONE)).toEqual([
      expect.stringContaining('Let me look at the carrier'),
      expect.stringContaining('It isn’t lost'.replace('’', "'")),
    ]);
  });

  it('Nothing is repeated in a conversation, and a desk that has written everything is silent.', async () => {
    const answers = new Answers(await loadDialogues());
    const given = new Set<string>();
    for (let question = 0; question < 200; question += 1) {
      for (const text of answers.find('hello', given)) {
        expect(given.has(text)).toBe(false);
        given.add(text);
      }
    }
    expect(given.size).toBeGreaterThan(10);
    expect(answers.find('hello', given)).toEqual([]);
  });

  it('A question without a known word, or without words, gets a greeting.', () => {
    const answers = new Answers([
      {
        id: 'one',
        topics: [],
        turns: [
          ['contact', 'Where is my parcel?'],
          ['agent', 'Good morning!'],
        ],
      },
    ]);
    expect(answers.find('', NONE)).toEqual(['Good morning!']);
    expect(answers.find('Привет 👋', NONE)).toEqual(['Good morning!']);
  });
});
