import { createTexts } from '../../../texts/create-texts.js';
import { en } from './en.js';

export type { TimelineText } from './en.js';

export const { t: timelineText, load: loadTimelineTexts } = createTexts(en, {
  de: async () => (await import('./de.js')).de,
});
