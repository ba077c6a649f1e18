import { createTexts } from '../../texts/create-texts.js';
import * as parent from '../../texts/index.js';
import { en, type NoticeText } from './en.js';

const texts = createTexts<NoticeText, parent.TextKey>(en, { de: async () => (await import('./de.js')).de }, parent);
await texts.load(navigator.languages);

export const { t, formats } = texts;
