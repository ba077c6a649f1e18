import { signal } from '@preact/signals';
import {
  chooseLocale,
  createTranslator,
  type Entry,
  type Translator,
  type Values,
} from '@support-chat/ui/translator.js';
import { en, type TextKey } from './en.js';

export type { TextKey } from './en.js';

/** The languages besides English, each in a file that is loaded when it is needed. */
const LOADERS: Record<string, () => Promise<Record<TextKey, Entry>>> = {
  de: async () => (await import('./de.js')).de,
};

const translator = signal<Translator<TextKey>>(createTranslator('en', en));

/** Returns a text in the language of the dashboard. A component that calls it is drawn again in another language. */
export function t(key: TextKey, values?: Values): string {
  return translator.value.text(key, values);
}

/** Times, numbers and lists in the language of the dashboard. */
export function formats(): Translator<TextKey> {
  return translator.value;
}

/**
 * Uses the first language that is available, and English otherwise, also if its file cannot be loaded.
 * @param tags BCP 47, best first
 */
export async function loadLanguage(tags: readonly string[]): Promise<void> {
  const locale = chooseLocale(tags, ['en', ...Object.keys(LOADERS)]);
  const load = LOADERS[locale.split('-')[0] ?? ''];
  translator.value = await (load?.() ?? Promise.resolve(en)).then(
    entries => createTranslator(locale, en, entries),
    () => createTranslator('en', en),
  );
  document.documentElement.lang = translator.value.locale;
  document.documentElement.dir = translator.value.direction;
}
