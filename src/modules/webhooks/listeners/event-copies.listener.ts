import { Injectable, OnModuleInit } from '@nestjs/common';
import { ErasureStepRegistry, SUBJECT_KINDS } from '../../../platform/erasure/erasure-step.registry.js';
import { EventLogService } from '../../../platform/events/event-log.service.js';
import { EventCopiesRepository } from '../event-copies.repository.js';

/** Scrubs the events that deliveries refer to, with those of the log. */
@Injectable()
export class EventCopiesListener implements OnModuleInit {
  constructor(
    private readonly copies: EventCopiesRepository,
    private readonly events: EventLogService,
    private readonly steps: ErasureStepRegistry,
  ) {}

  onModuleInit(): void {
    this.events.addCopies(this.copies);
    this.steps.add({
      name: 'webhook_events',
      kinds: SUBJECT_KINDS,
      scrub: (subject, after, limit) => this.copies.scrubSlice(subject, after, limit),
    });
  }
}
