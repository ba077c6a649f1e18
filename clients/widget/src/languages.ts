import type { Entry } from '@support-chat/ui/translator.js';
import type { MessageKey } from './messages.js';

/** Languages with a file in `locales`. English is part of the chunk. */
const AVAILABLE = 'de fr es pt-BR it nl pl cs sv da nb fi tr uk ru ar he fa ja ko zh-CN zh-TW id vi th hi'.split(' ');

/** Languages whose readers understand the texts of another one. */
const SIMILAR: Record<string, string> = { no: 'nb', nn: 'nb' };

/** Folder of the built files, relative to the service. Its name has a hash over all files, set by the build. */
declare const LOCALES: string;

export interface Language {
  /** The language of the texts, with the visitor's region. Safe for `Intl`. */
  locale: string;
  /** Empty for English, whose texts are the fallback. */
  entries: Partial<Record<MessageKey, Entry>>;
}

const ENGLISH: Language = { locale: 'en', entries: {} };

/**
 * Reads the texts of the first language that is available, by its whole tag or by its language alone. English otherwise,
 * and also after a failed request: a chat in English is better than none.
 * @param tags BCP 47, best first. Invalid ones are skipped
 */
export async function loadLanguage(baseUrl: string, ...tags: string[]): Promise<Language> {
  for (const tag of tags) {
    const { locale, file } = choose(tag);
    if (locale && !file) return { locale, entries: {} };
    if (!file) continue;
    try {
      const response = await fetch(`${baseUrl}${LOCALES}${file}.json`);
      return response.ok ? { locale, entries: (await response.json()) as Language['entries'] } : ENGLISH;
    } catch {
      return ENGLISH;
    }
  }
  return ENGLISH;
}
