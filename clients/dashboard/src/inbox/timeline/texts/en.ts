import type { Entry } from '@support-chat/ui/translator.js';

/** The texts of the timeline, in English. */
export const en = {
  unsendTitle: 'Unsend this message?',
  unsendText: 'Its text and files are removed for everybody. This cannot be undone.',
  openOriginal: 'Open original',
  pictureNamed: 'Picture {name}',
  newMessages: { one: '{count} new message', other: '{count} new messages' },
  answer: 'Reply',
  quoteJump: 'Show the quoted message',
  quoteEarlier: 'An earlier message',
  woken: 'The snooze ended',
  wokenBy: '{name} ended the snooze',
  ratedWithComment: 'Rated {score} of 5: “{comment}”',
} satisfies Record<string, Entry>;

export type TimelineText = keyof typeof en;
