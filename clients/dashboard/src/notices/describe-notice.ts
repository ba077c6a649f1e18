import type { ConversationView, NotificationView } from '@support-chat/sdk';
import { t } from './texts/index.js';

/** The sentence of a notification. @param view undefined while the conversation is unknown */
export function describeNotice(
  { type, actor }: NotificationView,
  view: ConversationView | undefined,
  nameOf: (memberId: string) => string | undefined,
): string {
  const contact = view?.contact.name ?? view?.contact.email ?? t('aContact');
  const name = actor.id === null ? undefined : nameOf(actor.id);
  switch (type) {
    case 'assigned':
      return name === undefined ? t('assignedToYou', { contact }) : t('assignedBy', { name, contact });
    case 'mentioned':
      return t('mentionedBy', { name: name ?? t('aColleague'), contact });
    case 'replied':
      return t('replied', { contact });
  }
}
