import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/domain-event.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { Conversation } from '../conversations/index.js';
import { ConversationChangesService, eventScopeOf } from '../conversations/index.js';
import type { MessageFacts } from './messages.events.js';
import type { Message } from './message.js';
import { MessageMetricsService } from './message-metrics.service.js';
import { toMessageRecord } from './message.js';
import { MessagesRepository } from './messages.repository.js';
import { columnsAfter, toProgress } from './progress.js';

/** A message without the fields that its position in the conversation decides. */
export type MessageDraft = Pick<
  Message,
  'senderType' | 'senderId' | 'senderName' | 'senderAvatarUrl' | 'contentType' | 'content'
> &
  Partial<Pick<Message, 'id' | 'attachments' | 'metadata' | 'clientMessageId' | 'private' | 'replyToId'>>;

/** Appends messages to a conversation that the caller has locked, and updates `conversation` in place. */
@Injectable()
export class MessageAppenderService {
  constructor(
    private readonly changes: ConversationChangesService,
    private readonly messages: MessagesRepository,
    private readonly events: EventLogService,
    private readonly units: UnitOfWork,
    private readonly metrics: MessageMetricsService,
  ) {}

  async append(conversation: Conversation, draft: MessageDraft, actor: Actor, facts?: MessageFacts): Promise<Message> {
    const message = await this.messages.insert({
      metadata: {},
      clientMessageId: null,
      private: false,
      replyToId: null,
      attachments: [],
      id: newId(),
      ...draft,
      workspaceId: conversation.workspaceId,
      conversationId: conversation.id,
      seq: conversation.lastSeq + 1,
      editedAt: null,
      deletedAt: null,
    });
    await this.changes.applyProgress(conversation, columnsAfter(conversation, message));
    await this.events.record({
      type: 'message.created',
      ...eventScopeOf(conversation),
      actor,
      payload: {
        message: toMessageRecord(message),
        conversation: toProgress(conversation),
        ...(facts && { facts }),
      },
    });
    this.units.afterCommit(() => this.metrics.count('transaction', 1));
    return message;
  }
}
