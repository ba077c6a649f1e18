import { Injectable } from '@nestjs/common';
import { ConsumerDependencies, EventConsumer } from '../../platform/events/event.consumer.js';
import type { EventRange, LoggedEvent } from '../../platform/events/reading-position.repository.js';
import { ParticipantsService } from '../conversations/index.js';
import { LogActs } from './log-acts.js';
import { NotificationWritesService } from './notification-writes.service.js';
import { RepliesRepository } from './replies.repository.js';

/**
 * Writes who takes part in conversations, and notifies members. Messages, the most frequent events, stay in the
 * database: one statement finds who has written, and one finds contacts' messages that concern a member.
 */
@Injectable()
export class NotificationsConsumer extends EventConsumer {
  readonly name = 'notifications';
  protected readonly types = ['conversation.updated', 'message.created', 'message.deleted'] as const;
  protected override readonly condition = `CASE type
    WHEN 'message.created' THEN payload #> '{message,metadata,mentions}' IS NOT NULL
    WHEN 'message.deleted' THEN (payload #>> '{message,private}')::boolean
    ELSE payload -> 'changes' -> 'assignee_id' IS NOT NULL END`;
  protected override readonly readsRanges = true;
  protected override readonly beginsAtEnd = true;
  protected override readonly batchMs = 500;

  constructor(
    dependencies: ConsumerDependencies,
    private readonly participants: ParticipantsService,
    private readonly replies: RepliesRepository,
    private readonly writes: NotificationWritesService,
  ) {
    super(dependencies);
  }

  protected async handle(events: readonly LoggedEvent[], range: EventRange): Promise<void> {
    const writers = await this.replies.findWriters(range);
    const acts = new LogActs(events, writers);
    await this.participants.record(acts.participants, acts.unassigned);
    await this.writes.readAnswered(writers);
    await this.writes.notify(acts.reasons);
    const replies = await this.replies.findReplies(range);
    const unanswered = replies.filter(reply => reply.seq > acts.lastWrittenSeq(reply));
    await this.writes.notifyOfReplies(unanswered);
    await this.writes.removeUnsent(acts.unsent);
    await this.participants.moveMentions(await this.replies.findRemainingMentions(acts.unsent));
  }
}
