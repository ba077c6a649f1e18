import type { AuditSubject } from '../../kernel/audit-subject.js';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { toWireTime } from '../../kernel/clock.js';
import type { Actor, EventType } from '../../kernel/domain-event.js';

/** An administrative action: actor, subject, time and origin. Entries never change. */
export interface AuditEntry {
  workspaceId: string;
  /** Id of the event. */
  id: string;
  action: EventType;
  actorType: Actor['type'];
  actorId: string | null;
  subjectType: AuditSubject['type'];
  subjectId: string | null;
  details: object;
  requestId: string | null;
  address: ClientOrigin['address'] | null;
  userAgent: string | null;
  recordedAt: Date;
}

export interface AuditEntryRecord {
  id: string;
  action: string;
  actor: { type: string; id: string | null; name: string | null };
  subject: AuditSubject;
  details: object;
  request_id: string | null;
  address: string | null;
  user_agent: string | null;
  created_at: string;
}

/** @param name the actor's current name; null if it has none */
export function toAuditEntryRecord(entry: AuditEntry, name: string | null): AuditEntryRecord {
  return {
    id: entry.id,
    action: entry.action,
    actor: { type: entry.actorType, id: entry.actorId, name },
    subject: { type: entry.subjectType, id: entry.subjectId },
    details: entry.details,
    request_id: entry.requestId,
    address: entry.address,
    user_agent: entry.userAgent,
    created_at: toWireTime(entry.recordedAt),
  };
}
