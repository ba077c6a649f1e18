import { Injectable, OnModuleInit } from '@nestjs/common';
import { ErasureSteps } from '../../../platform/erasure/erasure-steps.js';
import { MessagesRepository } from '../messages.repository.js';

/** Scrubs the messages of erased conversations. */
@Injectable()
export class MessageErasureListener implements OnModuleInit {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly steps: ErasureSteps,
  ) {}

  onModuleInit(): void {
    this.steps.add({
      name: 'messages',
      kinds: ['conversation'],
      scrub: (subject, after, limit) => this.messages.scrubSlice(subject, after, limit),
    });
  }
}
