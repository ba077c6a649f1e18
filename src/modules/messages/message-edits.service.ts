import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import { NotFound } from '../../kernel/errors.js';
import type { Principal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { AttachmentsService } from '../attachments/index.js';
import type { ProgressColumns, Conversation } from '../conversations/index.js';
import { ConversationChangesService, eventScopeOf, ConversationsService } from '../conversations/index.js';
import { EditWindowOver, NotSender } from './messages.errors.js';
import type { Message } from './message.js';
import { EDIT_MS, toLastMessage, toMessageRecord } from './message.js';
import { MessagesRepository } from './messages.repository.js';
import { assertHasContent } from './messages.service.js';

/** Edits and deletes messages. */
@Injectable()
export class MessageEditsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly conversations: ConversationsService,
    private readonly changes: ConversationChangesService,
    private readonly messages: MessagesRepository,
    private readonly attachments: AttachmentsService,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFound, ContentRequired, NotSender, EditWindowOver */
  async edit(principal: Principal, conversationId: string, id: string, content: string): Promise<Message> {
    assertHasContent(content);
    return this.change(principal, conversationId, id, 'message.updated', message => ({
      ...message,
      content,
      editedAt: this.clock.now(),
    }));
  }

  /**
   * Deletes a message: the entry stays, its content is removed, also from the event log.
   * @throws NotFound, NotSender, EditWindowOver
   */
  unsend(principal: Principal, conversationId: string, id: string): Promise<Message> {
    return this.change(principal, conversationId, id, 'message.deleted', message => this.emptied(message));
  }

  /** Unsends a message of the service itself, in the caller's unit of work, which has locked the conversation. */
  async withdraw(conversation: Conversation, message: Message, actor: Actor): Promise<void> {
    await this.write(conversation, this.emptied(message), 'message.deleted', actor);
  }

  private emptied(message: Message): Message {
    return { ...message, content: null, attachments: [], metadata: {}, deletedAt: this.clock.now() };
  }

  private async change(
    principal: Principal,
    conversationId: string,
    id: string,
    type: 'message.updated' | 'message.deleted',
    edit: (message: Message) => Message,
  ): Promise<Message> {
    return this.units.run(
      async () => {
        const conversation = await this.conversations.lock(principal, conversationId);
        const message = await this.messages.find(principal, conversation, id);
        if (!message || message.deletedAt) throw new NotFound();
        const actor = this.assertChangeable(principal, message);
        const changed = edit(message);
        if (type === 'message.deleted') await this.removeFiles(message);
        await this.write(conversation, changed, type, actor);
        return changed;
      },
      { row: conversationId },
    );
  }

  private async removeFiles({ workspaceId, id, attachments }: Message): Promise<void> {
    if (attachments.length > 0) await this.attachments.removeOfMessage(workspaceId, id);
  }

  private async write(
    conversation: Conversation,
    changed: Message,
    type: 'message.updated' | 'message.deleted',
    actor: Actor,
  ): Promise<void> {
    await this.messages.update(changed, changed);
    const unread = type === 'message.deleted' ? await this.recountUnread(conversation) : {};
    await this.changes.applyProgress(conversation, { ...previewsAfter(conversation, changed), ...unread });
    const scope = eventScopeOf(conversation);
    if (type === 'message.deleted') await this.events.scrubUnsent(scope, { message: { id: changed.id } });
    await this.events.record({ type, ...scope, actor, payload: { message: toMessageRecord(changed) } });
  }

  /** Recounts, because a deleted message is not unread. */
  private async recountUnread(conversation: Conversation): Promise<ProgressColumns> {
    const { agentLastReadSeq, contactLastReadSeq } = conversation;
    const { agents, contact } = await this.messages.countUnread(conversation, agentLastReadSeq, contactLastReadSeq);
    return { unreadAgents: agents, unreadContact: contact };
  }

  private assertChangeable(principal: Principal, message: Message): Actor {
    const actor = actorOf(principal);
    const senderType = { member: 'agent', contact: 'contact', bot: 'bot', api_key: null, system: null }[actor.type];
    const byKey = actor.type === 'api_key' && message.senderType === 'bot' && message.contentType !== 'event';
    if (!byKey && (senderType !== message.senderType || actor.id !== message.senderId)) throw new NotSender();
    if (this.clock.now().getTime() - message.createdAt.getTime() > EDIT_MS) throw new EditWindowOver();
    return actor;
  }
}

/** Previews of the conversation that show the changed message. */
function previewsAfter(conversation: Conversation, changed: Message): ProgressColumns {
  const preview = toLastMessage(changed);
  return {
    ...(conversation.lastMessage?.id === changed.id ? { lastMessage: preview } : {}),
    ...(conversation.lastPublicMessage?.id === changed.id ? { lastPublicMessage: preview } : {}),
  };
}
