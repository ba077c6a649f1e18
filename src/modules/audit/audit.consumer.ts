import { Injectable } from '@nestjs/common';
import type { EventType } from '../../kernel/domain-event.js';
import { EventRegistry } from '../../kernel/event-registry.js';
import { ConsumerDependencies, EventConsumer } from '../../platform/events/event.consumer.js';
import type { LoggedEvent } from '../../platform/events/reading-position.repository.js';
import type { AuditEntry } from './audit-entry.js';
import { AuditRepository } from './audit.repository.js';

/** Copies audited events to the audit log, which outlives the event log. */
@Injectable()
export class AuditConsumer extends EventConsumer {
  readonly name = 'audit';
  protected readonly types: readonly EventType[];

  constructor(
    dependencies: ConsumerDependencies,
    private readonly registry: EventRegistry,
    private readonly entries: AuditRepository,
  ) {
    super(dependencies);
    this.types = registry.typesWhere(({ audit }) => audit !== null);
  }

  protected handle(events: readonly LoggedEvent[]): Promise<void> {
    return this.entries.insertAll(events.map(event => this.toEntry(event)).filter(entry => entry !== null));
  }

  private toEntry(event: LoggedEvent): AuditEntry | null {
    const subject = this.registry.get(event.type).audit?.(event.payload);
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
}
