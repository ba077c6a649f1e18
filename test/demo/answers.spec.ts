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

  it('A visitor who asks for a parcel is answered about a parcel, and the agent then stays with the subject.', async () => {
    const answers = new Answers(await loadDialogues());
    const given = new Set(answers.find('Hello, where is my parcel?', NONE));
    expect([...given].join(' ')).toContain('Leeds depot');
    const [flat = ''] = answers.find('Oh, I forgot the flat number', given);
    expect(flat).toContain('passed it on');
    expect(answers.find('Super, merci', given.add(flat))).toEqual([expect.stringContaining('My pleasure')]);
  });

  it('A visitor with another question is answered about that one.', async () => {
    const answers = new Answers(await loadDialogues());
    const given = new Set(answers.find('Where is my parcel?', NONE));
    expect(answers.find('And how do I pause my coffee subscription?', given)).toEqual([
      expect.stringContaining('I can pause it'),
    ]);
  });

  it('Nothing is repeated in a conversation, and a desk that has nothing left to write is silent.', async () => {
    const answers = new Answers(await loadDialogues());
    const given = new Set<string>();
    const questions = ['parcel', 'boots', 'voucher', 'teapot', 'hello'];
    for (let index = 0; index < 200; index += 1) {
      for (const text of answers.find(questions[index % questions.length]!, given)) {
        expect(given.has(text)).toBe(false);
        given.add(text);
      }
    }
    expect(given.size).toBeGreaterThan(10);
    expect(answers.find('hello', given)).toEqual([]);
  });

  it('A question without a known word, or without words, is answered by asking for the subject.', async () => {
    const answers = new Answers(await loadDialogues());
    for (const question of ['', 'Hello', 'Привет 👋']) {
      expect(answers.find(question, NONE)).toEqual([expect.stringContaining('What is it about')]);
    }
  });
});
