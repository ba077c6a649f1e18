import { Injectable, OnModuleInit } from '@nestjs/common';
import type { EventScope, EventType, NewEvent, RecordedEvent } from '../../kernel/domain-event.js';
import { payloadVersionOf } from '../../kernel/event-definition.js';
import { EventRegistry } from '../../kernel/event-registry.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { ErasureStepRegistry, SUBJECT_KINDS } from '../erasure/erasure-step.registry.js';
import { Fanout } from '../fanout/fanout.js';
import { getRequestOrigin, getRequestId } from '../request/current-request.js';
import type { AppendedEvent } from './event.repository.js';
import { EventRepository } from './event.repository.js';

/** The subject on which committed events reach every instance. */
export const COMMITTED_EVENTS = 'events';

/** Stores copies of events outside the log. */
export interface EventCopies {
  /** Removes unsent content from the copies, like `EventLogService.scrubUnsent`, in the current unit of work. */
  scrubUnsent(workspaceId: string, conversationId: string, part: object): Promise<void>;
}

/** Records domain events in the transaction of the change they describe. */
@Injectable()
export class EventLogService implements OnModuleInit {
  private readonly copies: EventCopies[] = [];

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventRepository,
    private readonly fanout: Fanout,
    private readonly erasures: ErasureStepRegistry,
    private readonly registry: EventRegistry,
  ) {}

  onModuleInit(): void {
    this.erasures.add({
      name: 'events',
      kinds: SUBJECT_KINDS,
      scrub: (subject, after, limit) => this.events.scrubSlice(subject, after, limit),
    });
  }

  /**
   * Records the event with the change it tells of; it is published after the commit, and never when rolled back. Of
   * audited events the log keeps the address and user agent of the request, of no other.
   * @throws Error outside a unit of work: an event beside its change could be true alone
   */
  async record<T extends EventType>(event: NewEvent<T>): Promise<RecordedEvent> {
    if (!this.units.active) throw new Error(`${event.type} was recorded outside a unit of work`);
    const definition = this.registry.get(event.type);
    const origin = definition.audit === null ? null : getRequestOrigin();
    const recorded = await this.events.append(newId(), event as NewEvent, {
      payloadVersion: payloadVersionOf(definition),
      requestId: this.requestId,
      origin,
    });
    this.units.afterCommit(() => this.publish(recorded));
    return recorded;
  }

  /** The current request's id, which is stored with its events; null outside a request. */
  get requestId(): string | null {
    return getRequestId();
  }

  /** Publishes an event to every instance. Call it after the commit. */
  publish(event: AppendedEvent): void {
    this.fanout.publish(COMMITTED_EVENTS, event);
  }

  /** Adds copies of events, which are scrubbed with the log. */
  addCopies(copies: EventCopies): void {
    this.copies.push(copies);
  }

  /**
   * Removes unsent content from the events that contain it and from their copies, in the current unit of work.
   * @param part of the payloads of these events
   */
  async scrubUnsent(scope: EventScope & { conversationId: string }, part: object): Promise<void> {
    await this.events.scrubUnsent(scope.workspaceId, scope.conversationId, part);
    for (const copies of this.copies) await copies.scrubUnsent(scope.workspaceId, scope.conversationId, part);
  }
}
