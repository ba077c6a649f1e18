import { signal } from '@preact/signals';
import {
  chooseLocale,
  createTranslator,
  type Entry,
  type Translator,
  type Values,
} from '@support-chat/ui/translator.js';

/** Times, numbers and lists in a language. */
export type Formats = Omit<Translator<string>, 'text'>;

/** The texts of one area of the dashboard. */
export interface Texts<Key extends string> {
  /** Returns a text in the language of the dashboard. A component that calls it is drawn again in another language. */
  t(key: Key, values?: Values): string;
  formats(): Formats;
  /**
   * Uses the first language that is available, and English otherwise, also if its file cannot be loaded.
   * @param tags BCP 47, best first
   */
  load(tags: readonly string[]): Promise<void>;
}

/**
 * @param loaders the languages besides English, each in a file that is loaded when it is needed
 * @param parent texts that the area also uses; its own keys come first
 */
export function createTexts<Key extends string, ParentKey extends string = never>(
  en: Record<Key, Entry>,
  loaders: Record<string, () => Promise<Record<Key, Entry>>>,
  parent?: Pick<Texts<ParentKey>, 't'>,
): Texts<Key | ParentKey> {
  const translator = signal<Translator<Key>>(createTranslator('en', en));
  const isOwn = (key: string): key is Key => !parent || Object.hasOwn(en, key);
  return {
    t: (key, values) => (isOwn(key) ? translator.value.text(key, values) : (parent?.t(key as ParentKey, values) ?? '')),
    formats: () => translator.value,
    load: async tags => {
      const locale = chooseLocale(tags, ['en', ...Object.keys(loaders)]);
      const load = loaders[locale.split('-')[0] ?? ''];
      translator.value = await (load?.() ?? Promise.resolve(en)).then(
        entries => createTranslator(locale, en, entries),
        () => createTranslator('en', en),
      );
    },
  };
}
