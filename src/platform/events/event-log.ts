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

/** Records domain events in the transaction of the change they describe. */
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
   * Records an event in the current unit of work. It is published after the commit, and never after a rollback.
   * @throws Error outside a unit of work, where the event could commit without its change
   */
  async record<T extends EventType>(event: NewEvent<T>): Promise<RecordedEvent> {
    return this.append(event, null);
  }

  /**
   * Records an event with the request's address and user agent. Use it for audited changes to keys, members and
   * sessions. Events of conversations use `record`, so that they store no whereabouts.
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

  /** The current request's id, which is stored with its events; null outside a request. */
  get requestId(): string | null {
    return presentRequestId();
  }

  /** Publishes an event to every instance. Call it after the commit. */
  publish(event: AppendedEvent): void {
    this.fanout.publish(COMMITTED_EVENTS, event);
  }

  /** Removes the content of a deleted message from all its events, in the current unit of work. */
  async scrubMessage(scope: EventScope & { conversationId: string }, messageId: string): Promise<void> {
    await this.events.scrubMessage(scope.workspaceId, scope.conversationId, messageId);
  }
}
