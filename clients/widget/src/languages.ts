import { createTranslator, type Entry, type Translator } from '@support-chat/ui/translator.js';
import { en, type MessageKey } from './messages.js';

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

/** The chat is not shown before its texts are there. */
const TIMEOUT_MS = 4_000;

const ENGLISH: Language = { locale: 'en', entries: {} };

/** @returns the name of the file, none for English. Undefined if the language is invalid or not available */
function choose(tag: string): { locale: string; file?: string } | undefined {
  let requested: Intl.Locale;
  try {
    // Renames old codes: iw to he, in to id.
    requested = new Intl.Locale(tag.replaceAll('_', '-'));
  } catch {
    return undefined;
  }
  const language = SIMILAR[requested.language] ?? requested.language;
  const locale = new Intl.Locale(requested, { language }).toString();
  if (language === 'en') return { locale };
  const file = AVAILABLE.find(name => name === requested.baseName) ?? fileOfLanguage(language, requested);
  return file ? { locale, file } : undefined;
}

function fileOfLanguage(language: string, requested: Intl.Locale): string | undefined {
  if (language === 'zh') return requested.maximize().script === 'Hant' ? 'zh-TW' : 'zh-CN';
  return AVAILABLE.find(name => name.split('-')[0] === language);
}

/**
 * Reads the texts of the first language that is available. English otherwise, and also after a failed request: a chat in
 * English is better than none. A failure is not kept, so the next start asks again.
 * @param tags BCP 47, best first. Invalid ones are skipped
 */
export async function loadLanguage(baseUrl: string, ...tags: string[]): Promise<Language> {
  const chosen = tags.map(choose).find(match => match !== undefined);
  if (!chosen?.file) return { locale: chosen?.locale ?? 'en', entries: {} };
  try {
    const response = await fetch(`${baseUrl}${LOCALES}${chosen.file}.json`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return { locale: chosen.locale, entries: (await response.json()) as Language['entries'] };
  } catch {
    // English, as after an answer that is no success
  }
  return ENGLISH;
}

export function translatorOf({ locale, entries }: Language): Translator<MessageKey> {
  return createTranslator(locale, en, entries);
}
