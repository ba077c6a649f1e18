import type { TimelineText } from './en.js';

/** Notes for translators. */
export const notes: Record<TimelineText, string> = {
  unsendTitle: 'Question before a message is taken back.',
  unsendText: 'Below the question whether to unsend a message.',
  openOriginal: 'Link in the large view of a picture.',
  pictureNamed: 'Name of the large view of a picture. {name} is that of its file.',
  newMessages: 'Button that goes to the end of a conversation when messages have arrived below.',
  answer: 'Entry of the menu of a message: quotes it in an answer.',
  quoteJump: 'Tooltip of a quoted message, which leads to it.',
  quoteEarlier: 'Instead of the text of a quoted message that is not loaded.',
  woken: 'Line of the timeline.',
  wokenBy: 'Line of the timeline.',
  ratedWithComment: 'Line of the timeline; {comment} is what the contact wrote.',
};
