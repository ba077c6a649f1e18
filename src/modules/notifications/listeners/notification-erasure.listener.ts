import { Injectable, OnModuleInit } from '@nestjs/common';
import { ErasureStepRegistry } from '../../../platform/erasure/erasure-step.registry.js';
import { NotificationsRepository } from '../notifications.repository.js';

/** Deletes the notifications of erased conversations. */
@Injectable()
export class NotificationErasureListener implements OnModuleInit {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly steps: ErasureStepRegistry,
  ) {}

  onModuleInit(): void {
    this.steps.add({
      name: 'notifications',
      kinds: ['conversation'],
      scrub: (subject, _after, limit) => this.notifications.eraseSlice(subject, limit),
    });
  }
}
