import { createTexts } from '../../texts/create-texts.js';
import { en } from './en.js';

export type { ReportTextKey } from './en.js';

/** The texts of the reports. */
const texts = createTexts(en, { de: async () => (await import('./de.js')).de });

export const { t, formats } = texts;

await texts.load(navigator.languages);
