import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Entry } from '../../clients/ui/src/translator.js';
import { en } from '../../clients/widget/src/messages.js';

type Forms = Partial<Record<Intl.LDMLPluralRule, string>>;

const FOLDER = join(import.meta.dirname, '../../clients/widget/locales');
const TAGS = readdirSync(FOLDER).map(name => name.replace(/\.json$/, ''));
const ENGLISH: Record<string, Entry> = en;
const LANGUAGES = TAGS.map(tag => [tag, read(tag)] as const);

/** Texts that a language shares with English. */
const SAME_AS_ENGLISH: Record<string, readonly string[]> = {
  // has no word of its own, but for the quotation marks or the spaces of some languages
  received: TAGS,
  // loanwords
  chat: ['cs', 'da', 'de', 'es', 'fi', 'fr', 'it', 'nb', 'nl', 'pt-BR'],
  bot: ['cs', 'da', 'de', 'es', 'fr', 'id', 'it', 'nb', 'nl', 'pl', 'sv', 'tr', 'vi'],
  rate3: ['da'],
  optional: ['de'],
  // the same word by chance
  log: ['fr'],
  send: ['da', 'nb'],
  formSend: ['da', 'nb'],
};

const SCRIPTS: Record<string, RegExp> = {
  ar: /\p{Script=Arabic}/u,
  fa: /\p{Script=Arabic}/u,
  he: /\p{Script=Hebrew}/u,
  ru: /\p{Script=Cyrillic}/u,
  uk: /\p{Script=Cyrillic}/u,
  hi: /\p{Script=Devanagari}/u,
  th: /\p{Script=Thai}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  ko: /\p{Script=Hangul}/u,
  'zh-CN': /\p{Script=Han}/u,
  'zh-TW': /\p{Script=Han}/u,
};

/** Characters that fit into places of one line in a panel of 320 px. */
const ROOM: Record<string, number> = {
  // buttons and entries of the menu
  ...{ endChat: 24, formSend: 24, loadOlder: 24, mute: 24, sendRating: 24, startAgain: 24, unmute: 24 },
  // two buttons beside "Not sent", and one beside a field
  ...{ delete: 12, failed: 16, retry: 18, save: 12 },
  // below a face, or beside a name or a time
  ...{ bot: 8, edited: 12, newMessages: 10, rate1: 15, rate2: 15, rate3: 15, rate4: 15, rate5: 15 },
};

function read(tag: string): Record<string, Entry> {
  return JSON.parse(readFileSync(join(FOLDER, `${tag}.json`), 'utf8')) as Record<string, Entry>;
}

/** All texts of a language, with each form of a plural, as `[key, text, category]`. */
function textsOf(language: Record<string, Entry>): [key: string, text: string, category?: string][] {
  return Object.entries(language).flatMap(([key, entry]): [string, string, string?][] =>
    typeof entry === 'string'
      ? [[key, entry]]
      : Object.entries(entry).map(([category, text]): [string, string, string] => [key, text, category]),
  );
}

const placeholders = (text: string) => [...text.matchAll(/\{.*?\}/g)].map(([name]) => name).sort();

const COUNTS = [...Array.from({ length: 1_001 }, (_, count) => count), 1_000_000];

/** The counts of visitors' messages and characters, by the form that a language has for them. */
function countsByCategory(tag: string): Map<string, number[]> {
  const rules = new Intl.PluralRules(tag);
  const found = new Map<string, number[]>();
  for (const count of COUNTS) {
    const category = rules.select(count);
    found.set(category, [...(found.get(category) ?? []), count]);
  }
  return found;
}

describe('The texts of the widget in other languages', () => {
  it('The widget speaks 26 languages beside English.', () => {
    const promised = 'ar cs da de es fa fi fr he hi id it ja ko nb nl pl pt-BR ru sv th tr uk vi zh-CN zh-TW';
    expect([...TAGS].sort().join(' ')).toBe(promised);
  });

  it.each(LANGUAGES)('%s has exactly the texts of English, in the same order.', (_tag, language) => {
    expect(Object.keys(language)).toEqual(Object.keys(ENGLISH));
  });

  it.each(LANGUAGES)('%s has the plural forms that its counts need, and no others.', (tag, language) => {
    const needed = [...countsByCategory(tag).keys()].sort();
    for (const [key, entry] of Object.entries(ENGLISH)) {
      const translated = language[key];
      expect([key, typeof translated]).toEqual([key, typeof entry]);
      if (typeof entry !== 'string') expect([key, Object.keys(translated as Forms).sort()]).toEqual([key, needed]);
    }
  });

  it.each(LANGUAGES)('A text in %s has the values of the English one.', (tag, language) => {
    const counts = countsByCategory(tag);
    for (const [key, text, category] of textsOf(language)) {
      const english = ENGLISH[key];
      const expected = placeholders(typeof english === 'string' ? english : (english?.other ?? ''));
      // "One message" needs no number. Forms for several counts do.
      const isWords = category && counts.get(category)?.length === 1 && !text.includes('{count}');
      expect([key, text, placeholders(text)]).toEqual([
        key,
        text,
        isWords ? expected.filter(name => name !== '{count}') : expected,
      ]);
    }
  });

  it.each(LANGUAGES)('Every text in %s has words, no outer spaces, and does not shout.', (_tag, language) => {
    const bad = textsOf(language).filter(
      ([, text]) => text.trim() === '' || text !== text.trim() || /[!！¡]|\s{2}|[\r\n\t]|\.\.\./.test(text),
    );
    expect(bad).toEqual([]);
  });

  it.each(LANGUAGES)('A text in %s is translated, unless the language has the same word.', (tag, language) => {
    const isSame = (key: string, text: string) =>
      textsOf(ENGLISH).some(([other, english]) => other === key && english === text);
    const same = textsOf(language)
      .filter(([key, text]) => isSame(key, text))
      .map(([key]) => key);
    const allowed = Object.keys(SAME_AS_ENGLISH).filter(key => SAME_AS_ENGLISH[key]?.includes(tag));
    expect(same.filter(key => !allowed.includes(key))).toEqual([]);
    const outdated = allowed.filter(key => key !== 'received' && !same.includes(key));
    expect(outdated).toEqual([]);
  });

  it.each(Object.entries(SCRIPTS))('Each text in %s is written in the script of the language.', (tag, script) => {
    const foreign = textsOf(read(tag)).filter(([key, text]) => key !== 'received' && !script.test(text));
    expect(foreign).toEqual([]);
  });

  it.each(LANGUAGES)('A button or a mark in %s is short enough for one line.', (_tag, language) => {
    const long = textsOf(language).filter(([key, text]) => text.length > (ROOM[key] ?? Infinity));
    expect(long).toEqual([]);
  });
});
