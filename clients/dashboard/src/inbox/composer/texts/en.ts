import type { Entry } from '@support-chat/ui/translator.js';

/** The texts of the composer, in English. */
export const en = {
  emoji: 'Emoji',
  sendAndResolve: 'Send and resolve',
  sendAndSnooze: 'Send and snooze: {time}',
  enterSends: 'Enter sends',
  otherWays: 'More options',
  sendHintKeys: '{keys} sends',
  charsTooMany: { one: '{count} character too many', other: '{count} characters too many' },
  removeQuote: 'Remove the quote',
} satisfies Record<string, Entry>;

export type ComposerText = keyof typeof en;
