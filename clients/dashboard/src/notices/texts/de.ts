import type { Entry } from '@support-chat/ui/translator.js';
import type { NoticeText } from './en.js';

export const de: Record<NoticeText, Entry> = {
  readAll: 'Alle als gelesen markieren',
  notAllRead: 'Nicht als gelesen markiert. {reason}',
  empty: 'Nichts Neues',
  emptyText:
    'Hier erfahren Sie, wenn Ihnen eine Unterhaltung zugewiesen wird, ein Kollege Sie erwähnt oder ein Kunde antwortet.',
  choose: 'Auswählen, was Sie erfahren',
  unread: 'Ungelesen',
  assignedToYou: '{contact} ist Ihnen zugewiesen',
  assignedBy: '{name} hat Ihnen {contact} zugewiesen',
  mentionedBy: '{name} hat Sie in einer Notiz zu {contact} erwähnt',
  replied: '{contact} hat geantwortet',
  aContact: 'Ein Besucher',
  aColleague: 'Ein Kollege',
  conversationNumber: 'Unterhaltung #{number}',
  moreFailed: 'Ältere sind nicht geladen. {reason}',
};
