import { Injectable } from '@nestjs/common';
import { ConsumerDependencies, EventConsumer } from '../../platform/events/event.consumer.js';
import type { LoggedEvent } from '../../platform/events/reading-position.repository.js';
import type { SentAnswer } from './follow-ups.repository.js';
import { ANSWERS_TO_FOLLOW_UP, FollowUpsRepository } from './follow-ups.repository.js';

/** Arms a follow-up for each conversation with a new answer. */
@Injectable()
export class FollowUpConsumer extends EventConsumer {
  readonly name = 'follow_ups';
  protected readonly types = ['message.created'] as const;
  protected override readonly condition = ANSWERS_TO_FOLLOW_UP;
  protected override readonly batchMs = 1_000;

  constructor(
    dependencies: ConsumerDependencies,
    private readonly followUps: FollowUpsRepository,
  ) {
    super(dependencies);
  }

  protected handle(events: readonly LoggedEvent[]): Promise<void> {
    return this.followUps.arm(events.flatMap(toAnswer));
  }
}

function toAnswer({ workspaceId, channelId, conversationId, payload }: LoggedEvent): SentAnswer[] {
  if (!channelId || !conversationId) return [];
  const { message } = payload as { message: { created_at: string } };
  return [{ workspaceId, channelId, conversationId, sentAt: new Date(message.created_at) }];
}
