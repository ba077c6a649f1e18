import type { DomainEvents, EventType, RecordedEvent } from '../../kernel/domain-event.js';
import type { AuditSubject } from './audit-entry.js';

/** Finds the subject of an event; null for events that are not audited, such as messages. */
type SubjectOf<T extends EventType> = ((payload: DomainEvents[T], event: RecordedEvent<T>) => AuditSubject) | null;

const byId =
  (type: AuditSubject['type']) =>
  ({ id }: { id: string }): AuditSubject => ({ type, id });

const bySessionId = ({ session_id: id }: { session_id: string }): AuditSubject => ({ type: 'session', id });
const byMemberId = ({ member_id: id }: { member_id: string | null }): AuditSubject => ({ type: 'member', id });

/** Exhaustive by type: a new event type does not compile until it is decided here. */
export const AUDITED_EVENTS: { [T in EventType]: SubjectOf<T> } = {
  'api_key.created': byId('api_key'),
  'api_key.revoked': byId('api_key'),
  'api_key.refused': byId('api_key'),
  'member.created': byId('member'),
  'member.updated': ({ member: { id } }) => ({ type: 'member', id }),
  'invite.created': byId('invite'),
  'invite.renewed': byId('invite'),
  'invite.revoked': byId('invite'),
  'invite.accepted': byId('invite'),
  'channel.created': byId('channel'),
  'channel.updated': byId('channel'),
  'channel.deleted': byId('channel'),
  'channel.secret_rotated': byId('channel'),
  'channel.tokens_refused': byId('channel'),
  'bot.created': byId('bot'),
  'bot.updated': byId('bot'),
  'bot.deleted': byId('bot'),
  'bot.secret_rotated': byId('bot'),
  'workspace.created': byId('workspace'),
  'workspace.updated': byId('workspace'),
  'session.started': bySessionId,
  'session.ended': bySessionId,
  'session.refused': byMemberId,
  'password.changed': byMemberId,
  'password.reset': byMemberId,
  'password.reset_requested': byMemberId,
  'sso_ticket.issued': ({ ticket_id: id }) => ({ type: 'sso_ticket', id }),
  'contact.blocked': byId('contact'),
  'contact.unblocked': byId('contact'),
  'contact.merged': byId('contact'),
  'contact.deleted': byId('contact'),
  'contact.erased': byId('contact'),
  'contact.exported': byId('contact'),
  'contact.created': null,
  'contact.updated': null,
  'canned_response.created': null,
  'canned_response.updated': null,
  'canned_response.deleted': null,
  'conversation.created': null,
  'conversation.updated': null,
  'conversation.read': null,
  'message.created': null,
  'message.updated': null,
  'message.deleted': null,
};

/** Event types that the audit log contains. */
export const AUDITED_TYPES = (Object.keys(AUDITED_EVENTS) as EventType[]).filter(type => AUDITED_EVENTS[type] !== null);

/** @param pattern one action, or all actions on a subject, as in `api_key.*` */
export function matchActions(pattern: string): EventType[] {
  const noun = pattern.endsWith('.*') ? pattern.slice(0, -1) : null;
  return AUDITED_TYPES.filter(type => (noun === null ? type === pattern : type.startsWith(noun)));
}

/** @returns null for an event that is not audited */
export function auditSubjectOf<T extends EventType>(event: RecordedEvent<T>): AuditSubject | null {
  const subjectOf: SubjectOf<T> | undefined = AUDITED_EVENTS[event.type];
  return subjectOf?.(event.payload, event) ?? null;
}
