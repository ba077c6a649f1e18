import { Injectable, OnModuleInit } from '@nestjs/common';
import type { EventScope, EventType, NewEvent, RecordedEvent } from '../../kernel/domain-event.js';
import { payloadVersionOf } from '../../kernel/event-definition.js';
import { EventRegistry } from '../../kernel/event-registry.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { ErasureSteps } from '../erasure/erasure-steps.js';
import { Fanout } from '../fanout/fanout.js';
import { presentOrigin, presentRequestId } from '../http/present-request.js';
import type { AppendedEvent } from './event.repository.js';
import { EventRepository } from './event.repository.js';

/** The subject on which committed events reach every instance. */
export const COMMITTED_EVENTS = 'events';

/** Where everything that happens is written down, in the transaction that makes it happen. */
@Injectable()
export class EventLog implements OnModuleInit {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventRepository,
    private readonly fanout: Fanout,
    private readonly erasures: ErasureSteps,
    private readonly registry: EventRegistry,
  ) {}

  onModuleInit(): void {
    this.erasures.add({
      name: 'events',
      kinds: ['contact', 'conversation'],
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
    const origin = definition.audit === null ? null : presentOrigin();
    const recorded = await this.events.append(newId(), event as NewEvent, {
      payloadVersion: payloadVersionOf(definition),
      requestId: this.requestId,
      origin,
    });
    this.units.afterCommit(() => this.publish(recorded));
    return recorded;
  }

  /** What events of the present request are signed with; null in work that none has asked for. */
  get requestId(): string | null {
    return presentRequestId();
  }

  /** Tells every instance of an event that has been recorded, once that is certain. */
  publish(event: AppendedEvent): void {
    this.fanout.publish(COMMITTED_EVENTS, event);
  }

  /** Takes the words of an unsent message out of all that the log has of it. Part of the unit of work. */
  async forget(place: EventScope & { conversationId: string }, messageId: string): Promise<void> {
    await this.events.scrubMessage(place.workspaceId, place.conversationId, messageId);
  }
}
