import { Injectable, OnModuleInit } from '@nestjs/common';
import { ErasureStepRegistry } from '../../../platform/erasure/erasure-step.registry.js';
import { MessagesRepository } from '../messages.repository.js';

/** Scrubs the messages of erased conversations. */
@Injectable()
export class MessageErasureListener implements OnModuleInit {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly steps: ErasureStepRegistry,
  ) {}

  onModuleInit(): void {
    this.steps.add({
      name: 'messages',
      kinds: ['conversation'],
      scrub: (subject, after, limit) => this.messages.scrubSlice(subject, after, limit),
    });
  }
}
