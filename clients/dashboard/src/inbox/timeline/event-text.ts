import type { ActorView, MessageView } from '@support-chat/sdk';
import { formats, t } from '../texts/index.js';
import { timelineText } from './texts/index.js';

/** Names of members and bots by id. */
export type NameOf = (id: string) => string | undefined;

/** The sentence of an entry that tells of a change. */
export function eventText({ metadata }: MessageView, memberId: string, nameOf: NameOf): string {
  const event = String(metadata['event']);
  const actor = metadata['actor'] as ActorView | undefined;
  const name = actor ? actorName(actor, memberId, nameOf) : undefined;
  const reason = metadata['reason'];
  switch (event) {
    case 'assigned':
    case 'unassigned':
      return assignmentText(metadata['assignee_id'], actor, name, memberId, nameOf);
    case 'snoozed': {
      const until = metadata['until'];
      if (typeof until !== 'string') return t('eventSnoozed', { name: name ?? t('somebody') });
      const time = `${formats().day(until)}, ${formats().clock(until)}`;
      return t('eventSnoozedUntil', { name: name ?? t('somebody'), time });
    }
    case 'rated': {
      const score = Number(metadata['score']);
      const comment = metadata['comment'];
      if (typeof comment !== 'string' || comment === '') return t('eventRated', { score });
      return timelineText('ratedWithComment', { score, comment });
    }
    case 'closed_by_contact':
      return t('eventClosedByContact');
    // these are shown to the contact, too, and name no person then
    case 'resolved':
      return name === undefined ? t('eventResolvedPublicly') : t('eventResolved', { name });
    case 'reopened':
      return name === undefined ? t('eventReopenedPublicly') : t('eventReopened', { name });
    case 'handed_over': {
      const text = t('eventHandedOver', { name: name ?? t('somebody') });
      return typeof reason === 'string' ? `${text} (${reason.replaceAll('_', ' ')})` : text;
    }
    case 'woken':
      return reason === undefined && name !== undefined ? timelineText('wokenBy', { name }) : timelineText('woken');
    default:
      return event;
  }
}

function assignmentText(
  assigneeId: unknown,
  actor: ActorView | undefined,
  name: string | undefined,
  memberId: string,
  nameOf: NameOf,
): string {
  if (typeof assigneeId !== 'string') return t('eventUnassigned', { name: name ?? t('somebody') });
  if (actor?.id === assigneeId) return t('eventTaken', { name: name ?? t('somebody') });
  const assignee = assigneeId === memberId ? t('youAssigned') : (nameOf(assigneeId) ?? t('somebody'));
  if (!name || actor?.type === 'system') return t('eventAssignedAutomatically', { assignee });
  return t('eventAssigned', { name, assignee });
}

function actorName({ type, id }: ActorView, memberId: string, nameOf: NameOf): string {
  if (id === memberId) return t('you');
  if (type === 'contact') return t('theContact');
  if (type === 'api_key') return t('theApi');
  if (type === 'system') return t('theService');
  return (id === null ? undefined : nameOf(id)) ?? t('somebody');
}
