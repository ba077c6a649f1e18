import { readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Entry } from '../../clients/ui/src/translator.js';

type Catalogue = Record<string, Entry>;

const SOURCES = resolve(import.meta.dirname, '../../clients/dashboard/src');
const FOLDERS = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter(file => /(^|\/)texts\/en\.ts$/.test(file))
  .map(file => dirname(file));

/** An area of the dashboard has its texts in a folder: `en.ts`, `de.ts`, and `notes.ts` for translators. */
async function read(folder: string, name: string): Promise<Catalogue> {
  const module = (await import(`${SOURCES}/${folder}/${name}.ts`)) as Record<string, Catalogue>;
  return module[name] ?? {};
}

/** Names of the values in a text, without repetition. */
function valuesOf(entry: Entry): string[] {
  const texts = typeof entry === 'string' ? [entry] : Object.values(entry);
  const names = texts.flatMap(text => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''));
  return [...new Set(names)].sort();
}

const formsOf = (entry: Entry, locale: string) =>
  typeof entry === 'string' ? 'no plural' : new Intl.PluralRules(locale).resolvedOptions().pluralCategories;

describe.each(FOLDERS)('The texts of the dashboard in %s', folder => {
  it('German has every text of English and no other, and each text has a note for its translator.', async () => {
    const keys = Object.keys(await read(folder, 'en'));
    expect(keys.length).toBeGreaterThan(0);
    expect(Object.keys(await read(folder, 'de'))).toEqual(keys);
    expect(Object.keys(await read(folder, 'notes'))).toEqual(keys);
  });

  it('A German text has the values of the English one, and plurals where English has them.', async () => {
    const de = await read(folder, 'de');
    for (const [key, english] of Object.entries(await read(folder, 'en'))) {
      const german = de[key] ?? '';
      expect([key, valuesOf(german)]).toEqual([key, valuesOf(english)]);
      expect([key, typeof german]).toEqual([key, typeof english]);
    }
  });

  it('A plural has a text for each form of its language.', async () => {
    for (const locale of ['en', 'de']) {
      for (const [key, entry] of Object.entries(await read(folder, locale))) {
        const forms = typeof entry === 'string' ? 'no plural' : Object.keys(entry);
        expect([key, [forms].flat().sort()]).toEqual([key, [formsOf(entry, locale)].flat().sort()]);
      }
    }
  });

  it('No text is empty, shouts or apologises.', async () => {
    const entries = [await read(folder, 'en'), await read(folder, 'de')].flatMap(each => Object.values(each));
    for (const text of entries.flatMap(each => (typeof each === 'string' ? each : Object.values(each)))) {
      expect(text).toMatch(/\S/);
      expect(text).not.toMatch(/!|\boops\b|\bsorry\b|\bleider\b/i);
    }
  });
});
