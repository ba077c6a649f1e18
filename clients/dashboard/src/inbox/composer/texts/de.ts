import type { Entry } from '@support-chat/ui/translator.js';
import type { ComposerText } from './en.js';

/** The texts of the composer, in German. */
export const de: Record<ComposerText, Entry> = {
  emoji: 'Emoji',
  sendAndResolve: 'Senden und erledigen',
  sendAndSnooze: 'Senden und zurückstellen: {time}',
  enterSends: 'Enter sendet',
  otherWays: 'Weitere Optionen',
  sendHintKeys: '{keys} sendet',
  charsTooMany: { one: '{count} Zeichen zu viel', other: '{count} Zeichen zu viel' },
  removeQuote: 'Zitat entfernen',
};
