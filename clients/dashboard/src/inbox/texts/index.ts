import { createTexts } from '../../texts/create-texts.js';
import { en } from './en.js';

export type { InboxText } from './en.js';

export const { t, formats, load: loadInboxTexts } = createTexts(en, { de: async () => (await import('./de.js')).de });
