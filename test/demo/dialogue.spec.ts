import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadDialogues } from '../../src/bin/demo/dialogue.js';
import { personAt } from '../../src/bin/demo/people.js';

const folder = mkdtempSync(join(tmpdir(), 'dialogues-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (text: string) => {
  const file = join(folder, 'dialogues');
  writeFileSync(file, text);
  return file;
};

describe('The built-in dialogues', () => {
  it('There are twelve built-in dialogues of 4 to 12 turns, each with topics.', async () => {
    const dialogues = await loadDialogues();
    expect(new Set(dialogues.map(({ id }) => id)).size).toBe(12);
    for (const { turns, topics } of dialogues) {
      expect(topics.length).toBeGreaterThan(0);
      expect(turns.length).toBeGreaterThanOrEqual(4);
      expect(turns.length).toBeLessThanOrEqual(12);
    }
  });
});

describe('A file of dialogues', () => {
  const one = { id: 'one', topics: ['tea'], turns: [['contact', 'Any tea?']] };
  const two = {
    id: 'two',
    turns: [
      ['contact', 'Hi'],
      ['agent', 'Hello'],
    ],
  };

  it.each([
    ['one dialogue per line', `${JSON.stringify(one)}\n\n${JSON.stringify(two)}\n`],
    ['an array', JSON.stringify([one, two], null, 2)],
  ])('A file of dialogues may be %s.', async (_case, text) => {
    expect(await loadDialogues(fileOf(text))).toEqual([one, { ...two, topics: [] }]);
  });

  it.each([
    ['{"id": "one"', 'line 1 is not JSON'],
    ['{"id": "one"}', 'line 1: it has no turns'],
    ['\n{"turns": []}', 'line 2: it has no id'],
    ['[{"id": "one", "turns": [["contact", "Hi"], ["bot", "Hello"]]}]', 'dialogue 1: turn 2 is not'],
    ['[{"id": "one", "turns": [["contact", " "]]}]', 'dialogue 1: turn 1 is not'],
    ['[{"id": "one", "turns": [["agent", "Hello"]]}]', 'dialogue 1: its first turn is not the contact’s'],
    ['', 'holds no dialogue'],
  ])('A file with a fault is refused with its position: %s', async (text, why) => {
    await expect(loadDialogues(fileOf(text))).rejects.toThrow(why);
  });
});

describe('The persons of a play', () => {
  it('There are hundreds of persons, each with a unique plain address.', () => {
    const persons = Array.from({ length: 340 }, (_, index) => personAt(index));
    expect(new Set(persons.map(({ email }) => email)).size).toBe(340);
    for (const { email } of persons) expect(email).toMatch(/^[a-z]+\.[a-z]+@example\.com$/);
  });
});
