import type { ComposerText } from './en.js';

/** Notes for translators. */
export const notes: Record<ComposerText, string> = {
  emoji: 'Name of the button that opens a grid of emoji, and of lists of them.',
  sendAndResolve: 'Entry of the menu beside "Send".',
  sendAndSnooze: 'Entry of the menu beside "Send". {time} is such as "Tomorrow" or "Until the contact writes".',
  enterSends: 'A choice of the member: with it the Enter key sends, without it the key begins a line.',
  otherWays: 'Name of the menu beside "Send".',
  sendHintKeys: 'Below a text that is being written, where Enter begins a line. {keys} is such as "Ctrl+↵".',
  charsTooMany: 'Shown when a text is over the limit. It cannot be sent then.',
  removeQuote: 'Button with a cross beside the quoted message above the field.',
};
