import { isId } from '../../kernel/ids.js';
import type { Notification, NotificationRecord } from './notification.js';
import { toNotificationRecord } from './notification.js';

/** Subject of the fanout for notices. */
export const NOTIFICATIONS_SUBJECT = 'notifications';

/** More ids than this are not listed: the client reads the list again. */
const MAX_IDS = 100;

/** A fanout message that a member's notifications changed. It is not recorded as an event. */
export type NotificationNotice = { memberId: string } & (
  { type: 'created'; channelId: string; notification: NotificationRecord } | { type: 'read'; ids: string[] | null }
);

export function createdNotice(notification: Notification): NotificationNotice {
  const { memberId, channelId } = notification;
  return { type: 'created', memberId, channelId, notification: toNotificationRecord(notification) };
}

/** One notice for each member. Those that were never shown in the dashboard are left out. */
export function readNotices(notifications: readonly Notification[]): NotificationNotice[] {
  const idsByMember = new Map<string, string[]>();
  for (const { memberId, id, inApp } of notifications) {
    if (inApp) idsByMember.set(memberId, [...(idsByMember.get(memberId) ?? []), id]);
  }
  return [...idsByMember].map(([memberId, ids]) => ({
    type: 'read',
    memberId,
    ids: ids.length > MAX_IDS ? null : ids,
  }));
}

/** Checks a message from another process, which may run another version of the service. */
export function isNotificationNotice(body: unknown): body is NotificationNotice {
  const { type, memberId, channelId, notification, ids } = fieldsOf(body);
  if (!isId(memberId)) return false;
  if (type === 'read') return ids === null || (Array.isArray(ids) && ids.length <= MAX_IDS && ids.every(isId));
  return type === 'created' && isId(channelId) && isRecord(notification);
}

function isRecord(value: unknown): boolean {
  const { id, type, conversation_id, message_id, actor, read_at, created_at } = fieldsOf(value);
  return (
    isId(id) &&
    typeof type === 'string' &&
    isId(conversation_id) &&
    (message_id === null || isId(message_id)) &&
    typeof fieldsOf(actor).type === 'string' &&
    (read_at === null || typeof read_at === 'string') &&
    typeof created_at === 'string'
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
