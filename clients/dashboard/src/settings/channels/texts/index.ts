import { createTexts } from '../../../texts/create-texts.js';
import * as parent from '../../texts/index.js';
import { en } from './en.js';

export type TextKey = keyof typeof en | parent.TextKey;

/** The texts of the channels, and those that it shares. */
const texts = createTexts<keyof typeof en, parent.TextKey>(
  en,
  { de: async () => (await import('./de.js')).de },
  parent,
);
await texts.load(navigator.languages);

export const { t, formats } = texts;
