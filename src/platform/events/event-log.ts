import { Injectable, OnModuleInit } from '@nestjs/common';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import type { EventScope, EventType, NewEvent, RecordedEvent } from '../../kernel/domain-event.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { ErasureSteps } from '../erasure/erasure-steps.js';
import { Fanout } from '../fanout/fanout.js';
import { presentOrigin, presentRequestId } from '../http/present-request.js';
import type { AppendedEvent } from './event.repository.js';
import { EventRepository, PAYLOAD_VERSION } from './event.repository.js';

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
  ) {}

  onModuleInit(): void {
    this.erasures.add({
      name: 'events',
      kinds: ['contact', 'conversation'],
      scrub: (subject, after, limit) => this.events.scrubSlice(subject, after, limit),
    });
  }

  /**
   * Records the event with the change it tells of; it is published after the commit, and never when rolled back.
   * @throws Error outside a unit of work: an event beside its change could be true alone
   */
  async record<T extends EventType>(event: NewEvent<T>): Promise<RecordedEvent> {
    return this.append(event, null);
  }

  /**
   * As `record`, and keeps from where: address and user agent of the request. For what is done to keys, members and
   * sessions, which somebody may have to answer for; what people say in conversations is nobody's whereabouts.
   */
  async audit<T extends EventType>(event: NewEvent<T>): Promise<RecordedEvent> {
    return this.append(event, presentOrigin());
  }

  private async append(event: NewEvent, origin: ClientOrigin | null): Promise<RecordedEvent> {
    if (!this.units.active) throw new Error(`${event.type} was recorded outside a unit of work`);
    const stamp = { payloadVersion: PAYLOAD_VERSION, requestId: this.requestId, origin };
    const recorded = await this.events.append(newId(), event, stamp);
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
  async scrubMessage(place: EventScope & { conversationId: string }, messageId: string): Promise<void> {
    await this.events.scrubMessage(place.workspaceId, place.conversationId, messageId);
  }
}
