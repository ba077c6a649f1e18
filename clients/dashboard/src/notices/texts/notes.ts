import type { NoticeText } from './en.js';

export const notes: Record<NoticeText, string> = {
  readAll: 'Button above the list of notifications.',
  notAllRead: 'Short message after a failure. {reason} is a sentence.',
  empty: 'Heading of the empty list of notifications.',
  emptyText: 'Below that heading.',
  choose: 'Link to the settings of notifications, below the list.',
  unread: 'For screen readers, before the sentence of an unread notification.',
  assignedToYou: 'A notification of an automatic assignment. {contact} is a name.',
  assignedBy: 'A notification. {name} is a colleague, {contact} the customer of the conversation.',
  mentionedBy: 'A notification. {name} is a colleague, {contact} the customer of the conversation.',
  replied: 'A notification. {contact} is a name.',
  aContact: 'In those sentences, instead of the name of a customer that is not known yet.',
  aColleague: 'In those sentences, instead of the name of a colleague that is not known.',
  conversationNumber: 'Second line of a notification of the browser. {number} is the number of the conversation.',
  moreFailed: 'Below the list. {reason} is a sentence.',
};
