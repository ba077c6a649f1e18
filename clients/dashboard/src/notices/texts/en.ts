import type { Entry } from '@support-chat/ui/translator.js';

/** The texts of the notifications, in English. */
export const en = {
  readAll: 'Mark all as read',
  notAllRead: 'Not marked as read. {reason}',
  empty: 'Nothing new',
  emptyText:
    'You are told here when a conversation is assigned to you, a colleague mentions you, or a customer replies.',
  choose: 'Choose what you are told',
  unread: 'Unread',
  assignedToYou: '{contact} is assigned to you',
  assignedBy: '{name} assigned {contact} to you',
  mentionedBy: '{name} mentioned you in a note about {contact}',
  replied: '{contact} replied',
  aContact: 'A visitor',
  aColleague: 'A colleague',
  conversationNumber: 'Conversation #{number}',
  moreFailed: 'Older ones are not loaded. {reason}',
} satisfies Record<string, Entry>;

export type NoticeText = keyof typeof en;
