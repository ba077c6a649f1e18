import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../kernel/domain-event.js';
import { newId } from '../../../kernel/ids.js';
import { EventLog } from '../../../platform/events/event-log.js';
import { BotsService } from '../../bots/index.js';
import type { Conversation } from '../conversation.js';
import '../conversations.events.js';
import { ConversationsRepository } from '../conversations.repository.js';
import type { TimelineEntry } from '../lifecycle.js';
import type { Message } from './message.js';
import { toMessageRecord } from './message.js';
import { MessagesRepository } from './messages.repository.js';
import { columnsAfter, toProgress } from './progress.js';

/** A message without the fields that its position in the conversation decides. */
export type MessageDraft = Pick<Message, 'senderType' | 'senderId' | 'senderName' | 'contentType' | 'content'> &
  Partial<Pick<Message, 'metadata' | 'clientMessageId' | 'private' | 'replyToId'>>;

/** Appends messages to a conversation that the caller has locked, and updates `conversation` in place. */
@Injectable()
export class MessageAppenderService {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly events: EventLog,
    private readonly bots: BotsService,
  ) {}

  async append(conversation: Conversation, draft: MessageDraft, actor: Actor): Promise<Message> {
    const message = await this.messages.insert({
      metadata: {},
      clientMessageId: null,
      private: false,
      replyToId: null,
      ...draft,
      id: newId(),
      workspaceId: conversation.workspaceId,
      conversationId: conversation.id,
      seq: conversation.lastSeq + 1,
      attachments: [],
      editedAt: null,
      deletedAt: null,
    });
    const columns = columnsAfter(conversation, message);
    await this.conversations.update(conversation, columns);
    Object.assign(conversation, columns);
    await this.events.record({
      type: 'message.created',
      workspaceId: conversation.workspaceId,
      channelId: conversation.channelId,
      conversationId: conversation.id,
      contactId: conversation.contactId,
      actor,
      payload: { message: toMessageRecord(message), conversation: toProgress(conversation) },
    });
    return message;
  }

  /** Appends a timeline entry, sent by the workspace's system bot. A public entry names no person. */
  async appendEvent(conversation: Conversation, entry: TimelineEntry, actor: Actor): Promise<void> {
    const senderId = await this.bots.systemBotId(conversation.workspaceId);
    const reason = entry.reason === undefined ? {} : { reason: entry.reason };
    const details = entry.public ? {} : { actor, assignee_id: conversation.assigneeId, ...reason };
    const draft: MessageDraft = {
      senderType: 'bot',
      senderId,
      senderName: null,
      contentType: 'event',
      content: null,
      metadata: { event: entry.event, ...details },
      private: !entry.public,
    };
    await this.append(conversation, draft, actor);
  }
}
