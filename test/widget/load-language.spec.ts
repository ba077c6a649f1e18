import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadLanguage } from '../../clients/widget/src/languages.js';

const BASE = 'https://chat.example/';
const FOLDER = 'widget/i18n-Ab12Cd34/';
const original = globalThis.fetch;

let requests: string[];
beforeEach(() => {
  requests = [];
  // set by the build
  Object.assign(globalThis, { LOCALES: FOLDER });
  respond(url => Response.json({ chat: url }));
});
afterEach(() => {
  globalThis.fetch = original;
  Reflect.deleteProperty(globalThis, 'LOCALES');
});

function respond(answer: (url: string) => Response | Promise<Response>): void {
  globalThis.fetch = async url => {
    requests.push(String(url));
    return answer(String(url));
  };
}

const fileOf = (tag: string) => `${BASE}${FOLDER}${tag}.json`;

describe('The language of the widget', () => {
  it('Each language with a file is loaded by its tag.', async () => {
    const locales = join(import.meta.dirname, '../../clients/widget/locales');
    for (const tag of readdirSync(locales).map(name => name.replace(/\.json$/, ''))) {
      expect(await loadLanguage(BASE, tag)).toEqual({ locale: tag, entries: { chat: fileOf(tag) } });
    }
  });

  it.each([
    ['de-AT', 'de', 'de-AT'],
    ['de_CH', 'de', 'de-CH'],
    ['DE-ch', 'de', 'de-CH'],
    ['es-419', 'es', 'es-419'],
    ['pt', 'pt-BR', 'pt'],
    ['pt-PT', 'pt-BR', 'pt-PT'],
    ['no', 'nb', 'nb'],
    ['nn-NO', 'nb', 'nb-NO'],
    ['iw-IL', 'he', 'he-IL'],
    ['in', 'id', 'id'],
    ['zh', 'zh-CN', 'zh'],
    ['zh-SG', 'zh-CN', 'zh-SG'],
    ['zh-Hans-HK', 'zh-CN', 'zh-Hans-HK'],
    ['zh-Hant', 'zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-TW', 'zh-HK'],
    ['zh-MO', 'zh-TW', 'zh-MO'],
  ])('A visitor whose language is %s reads the texts of %s, with the conventions of %s.', async (tag, file, locale) => {
    expect(await loadLanguage(BASE, tag)).toEqual({ locale, entries: { chat: fileOf(file) } });
    expect(requests).toEqual([fileOf(file)]);
  });

  it.each(['en', 'en-GB'])('A visitor whose language is %s causes no request.', async tag => {
    expect(await loadLanguage(BASE, tag, 'de')).toEqual({ locale: tag, entries: {} });
    expect(requests).toEqual([]);
  });

  it('The first language that is available is chosen, and one that is no language is skipped.', async () => {
    expect(await loadLanguage(BASE, 'not a language', '', 'ro', 'fr-CA', 'de')).toMatchObject({ locale: 'fr-CA' });
    expect(requests).toEqual([fileOf('fr')]);
  });

  it('A visitor none of whose languages is available reads English.', async () => {
    expect(await loadLanguage(BASE, 'ro', 'x')).toEqual({ locale: 'en', entries: {} });
    expect(await loadLanguage(BASE)).toEqual({ locale: 'en', entries: {} });
    expect(requests).toEqual([]);
  });

  it.each([
    ['does not reach the service', () => Promise.reject(new TypeError('failed to fetch'))],
    ['reaches a service of another version', () => new Response('no such file', { status: 404 })],
    ['gets something else than JSON', () => new Response('<html>')],
  ])('A visitor reads English if the request %s, and their language at the next start.', async (_name, answer) => {
    respond(answer);
    expect(await loadLanguage(BASE, 'de')).toEqual({ locale: 'en', entries: {} });
    respond(url => Response.json({ chat: url }));
    expect(await loadLanguage(BASE, 'de')).toEqual({ locale: 'de', entries: { chat: fileOf('de') } });
  });
});
