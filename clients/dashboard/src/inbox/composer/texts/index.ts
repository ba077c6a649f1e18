import { createTexts } from '../../../texts/create-texts.js';
import { en } from './en.js';

export type { ComposerText } from './en.js';

export const { t: composerText, load: loadComposerTexts } = createTexts(en, {
  de: async () => (await import('./de.js')).de,
});
