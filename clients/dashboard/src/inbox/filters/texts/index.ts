import { createTexts } from '../../../texts/create-texts.js';
import * as parent from '../../texts/index.js';
import { en, type FilterText } from './en.js';

export type { FilterText } from './en.js';

export const {
  t,
  formats,
  load: loadFilterTexts,
} = createTexts<FilterText, parent.InboxText>(en, { de: async () => (await import('./de.js')).de }, parent);
