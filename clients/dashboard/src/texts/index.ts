import { createTexts } from './create-texts.js';
import { en } from './en.js';

export type { TextKey } from './en.js';

/** The texts of the entrance, of the frame and of what every area uses. */
const texts = createTexts(en, { de: async () => (await import('./de.js')).de });

export const { t, formats } = texts;

/** Loads the texts, and tells the page's language to the browser. */
export async function loadLanguage(tags: readonly string[]): Promise<void> {
  await texts.load(tags);
  document.documentElement.lang = formats().locale;
  document.documentElement.dir = formats().direction;
}
