import { describe, expect, it } from '@jest/globals';
import type { Entry } from '../../clients/ui/src/translator.js';
import { de } from '../../clients/dashboard/src/texts/de.js';
import { en, type TextKey } from '../../clients/dashboard/src/texts/en.js';
import { notes } from '../../clients/dashboard/src/texts/notes.js';

const KEYS = Object.keys(en) as TextKey[];

/** Names of the values in a text, without repetition. */
function valuesOf(entry: Entry): string[] {
  const texts = typeof entry === 'string' ? [entry] : Object.values(entry);
  const names = texts.flatMap(text => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''));
  return [...new Set(names)].sort();
}

const formsOf = (entry: Entry, locale: string) =>
  typeof entry === 'string' ? 'no plural' : new Intl.PluralRules(locale).resolvedOptions().pluralCategories;

describe('The texts of the dashboard', () => {
  it('German has every text of English and no other, and each text has a note for its translator.', () => {
    expect(Object.keys(de)).toEqual(KEYS);
    expect(Object.keys(notes)).toEqual(KEYS);
  });

  it('A German text has the values of the English one, and plurals where English has them.', () => {
    for (const key of KEYS) {
      expect([key, valuesOf(de[key])]).toEqual([key, valuesOf(en[key])]);
      expect([key, typeof de[key]]).toEqual([key, typeof en[key]]);
    }
  });

  it('A plural has a text for each form of its language.', () => {
    for (const [locale, texts] of Object.entries({ en, de })) {
      for (const key of KEYS) {
        const entry: Entry = texts[key];
        const forms = typeof entry === 'string' ? 'no plural' : Object.keys(entry);
        expect([key, [forms].flat().sort()]).toEqual([key, [formsOf(entry, locale)].flat().sort()]);
      }
    }
  });

  it('No text is empty, shouts or apologises.', () => {
    for (const entry of KEYS.flatMap(key => [en[key], de[key]] as Entry[])) {
      for (const text of [entry].flatMap(each => (typeof each === 'string' ? each : Object.values(each)))) {
        expect(text).toMatch(/\S/);
        expect(text).not.toMatch(/!|\boops\b|\bsorry\b|\bleider\b/i);
      }
    }
  });
});
