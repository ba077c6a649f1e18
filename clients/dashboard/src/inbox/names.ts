import type { ContactSummaryView, MessageView } from '@support-chat/sdk';
import { t } from './texts/index.js';

/** Shown name of a contact. */
export function contactName({ name, email }: Pick<ContactSummaryView, 'name' | 'email'>): string {
  return name ?? email ?? t('visitor');
}

/** Shown name of the sender of a message. @param contact of the conversation, if it is known */
export function senderName({ sender_type, sender_name }: MessageView, contact: ContactSummaryView | undefined): string {
  if (sender_type !== 'contact') return sender_name ?? t('theService');
  return contact ? contactName(contact) : t('visitor');
}

/** @returns the first letters of the first and the last word */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(word => [...(word ?? '')][0] ?? '');
  return letters.join('').toLocaleUpperCase();
}
