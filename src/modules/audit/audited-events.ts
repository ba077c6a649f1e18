import type { DomainEvents, EventType, RecordedEvent } from '../../kernel/domain-event.js';
import type { AuditSubject } from './audit-entry.js';

/** What an event was done to; null for what nobody has to answer for: what people say, and how it is dealt with. */
type SubjectOf<T extends EventType> = ((payload: DomainEvents[T], event: RecordedEvent<T>) => AuditSubject) | null;

const itself =
  (type: AuditSubject['type']) =>
  ({ id }: { id: string }): AuditSubject => ({ type, id });

const session = ({ session_id: id }: { session_id: string }): AuditSubject => ({ type: 'session', id });
const member = ({ member_id: id }: { member_id: string | null }): AuditSubject => ({ type: 'member', id });

/** Exhaustive by type: an event that nobody has decided about does not compile. */
export const AUDITED_EVENTS: { [T in EventType]: SubjectOf<T> } = {
  'api_key.created': itself('api_key'),
  'api_key.revoked': itself('api_key'),
  'api_key.refused': itself('api_key'),
  'member.created': itself('member'),
  'member.updated': ({ member: { id } }) => ({ type: 'member', id }),
  'invite.created': itself('invite'),
  'invite.renewed': itself('invite'),
  'invite.revoked': itself('invite'),
  'invite.accepted': itself('invite'),
  'channel.created': itself('channel'),
  'channel.updated': itself('channel'),
  'channel.deleted': itself('channel'),
  'channel.secret_rotated': itself('channel'),
  'channel.tokens_refused': itself('channel'),
  'bot.created': itself('bot'),
  'bot.updated': itself('bot'),
  'bot.deleted': itself('bot'),
  'bot.secret_rotated': itself('bot'),
  'workspace.created': itself('workspace'),
  'workspace.updated': itself('workspace'),
  'session.started': session,
  'session.ended': session,
  'session.refused': member,
  'password.changed': member,
  'password.reset': member,
  'password.reset_requested': member,
  'sso_ticket.issued': ({ ticket_id: id }) => ({ type: 'sso_ticket', id }),
  'contact.blocked': itself('contact'),
  'contact.unblocked': itself('contact'),
  'contact.merged': itself('contact'),
  'contact.deleted': itself('contact'),
  'contact.erased': itself('contact'),
  'contact.exported': itself('contact'),
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

/** What the audit log is made of. */
export const AUDITED_TYPES = (Object.keys(AUDITED_EVENTS) as EventType[]).filter(type => AUDITED_EVENTS[type] !== null);

/** @param pattern one action, or all of a noun as `api_key.*` */
export function actionsOf(pattern: string): EventType[] {
  const noun = pattern.endsWith('.*') ? pattern.slice(0, -1) : null;
  return AUDITED_TYPES.filter(type => (noun === null ? type === pattern : type.startsWith(noun)));
}

/** @returns null for an event that is not audited */
export function auditSubjectOf<T extends EventType>(event: RecordedEvent<T>): AuditSubject | null {
  const subjectOf: SubjectOf<T> | undefined = AUDITED_EVENTS[event.type];
  return subjectOf?.(event.payload, event) ?? null;
}
