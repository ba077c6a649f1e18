import { Injectable } from '@nestjs/common';
import { EventConsumer, ConsumerDependencies } from '../../platform/events/event-consumer.js';
import type { LoggedEvent } from '../../platform/events/reading-position.repository.js';
import type { AuditEntry } from './audit-entry.js';
import { AuditRepository } from './audit.repository.js';
import { AUDITED_TYPES, auditSubjectOf } from './audited-events.js';

/** Copies audited events to the audit log, which outlives the event log. */
@Injectable()
export class AuditConsumer extends EventConsumer {
  protected readonly name = 'audit';
  protected readonly types = AUDITED_TYPES;

  constructor(
    dependencies: ConsumerDependencies,
    private readonly entries: AuditRepository,
  ) {
    super(dependencies);
  }

  protected take(events: readonly LoggedEvent[]): Promise<void> {
    return this.entries.insertAll(events.map(toEntry).filter(entry => entry !== null));
  }
}

function toEntry(event: LoggedEvent): AuditEntry | null {
  const subject = auditSubjectOf(event);
  if (!subject) return null;
  const { id, workspaceId, type: action, actor, payload: details, requestId, address, userAgent } = event;
  return {
    workspaceId,
    id,
    action,
    actorType: actor.type,
    actorId: actor.id,
    subjectType: subject.type,
    subjectId: subject.id,
    details,
    requestId,
    address,
    userAgent,
    recordedAt: new Date(event.recordedAt),
  };
}
