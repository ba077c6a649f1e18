import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error.js';
import type { Actor } from '../../../kernel/domain-event.js';
import { NotFound, Unsupported } from '../../../kernel/errors.js';
import type { Principal } from '../../../kernel/principal.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { ContactsService } from '../../contacts/index.js';
import type { Conversation } from '../conversation.js';
import { ConversationChangesService } from '../conversation-changes.service.js';
import {
  ContentRequired,
  ContentTypeReserved,
  ConversationErased,
  ConversationMoved,
  ReplyToNote,
  ReplyUnknown,
} from '../conversations.errors.js';
import { ConversationsRepository } from '../conversations.repository.js';
import type { Trigger } from '../lifecycle.js';
import { MessageAppenderService } from './message-appender.service.js';
import type { ContentType, Message, SenderType } from './message.js';
import type { MessageWindow } from './message-page.js';
import { MessagesRepository } from './messages.repository.js';
import { FastPathSendsService } from './fast-path-sends.service.js';
import type { Sender } from './senders.service.js';
import { SendersService } from './senders.service.js';

/** A message as a client asks for it. */
export interface NewMessage {
  content?: string | undefined;
  content_type?: ContentType | undefined;
  attachment_ids?: unknown;
  metadata?: Record<string, unknown> | undefined;
  client_message_id?: string | undefined;
  private?: boolean | undefined;
  reply_to_id?: string | undefined;
  expected_last_seq?: number | undefined;
  member_id?: string | undefined;
  bot_id?: string | undefined;
}

export interface SendResult {
  message: Message;
  /** false when the client's own id had made this message before. */
  created: boolean;
}

export interface LockedSendResult extends SendResult {
  conversation: Conversation;
}

const TRIGGER: Record<SenderType, Trigger> = {
  contact: 'contact_message',
  agent: 'agent_message',
  bot: 'bot_message',
};

@Injectable()
export class MessagesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    private readonly changes: ConversationChangesService,
    private readonly appender: MessageAppenderService,
    private readonly fastPath: FastPathSendsService,
    private readonly senders: SendersService,
    private readonly contacts: ContactsService,
  ) {}

  async list(principal: Principal, conversationId: string, window: MessageWindow): Promise<Message[]> {
    const conversation = await this.conversations.findVisible(principal, conversationId);
    if (!conversation) throw new NotFound();
    return this.messages.window(principal, conversation, window);
  }

  /** Says something in a conversation that the caller can see. The same `client_message_id` again says nothing new. */
  async send(principal: Principal, conversationId: string, wanted: NewMessage): Promise<SendResult> {
    assertSendable(wanted);
    const message = await this.trySendFast(principal, conversationId, wanted);
    return message ? { message, created: true } : this.sendWithLock(principal, conversationId, wanted);
  }

  /** The long way of what is sendable, which knows every case: under the conversation's lock, in a transaction. */
  async sendWithLock(principal: Principal, conversationId: string, wanted: NewMessage): Promise<LockedSendResult> {
    return this.units.run(
      async () => {
        if (principal.kind === 'visitor') await this.contacts.lockForShare(principal);
        const conversation = await this.conversations.lockVisible(principal, conversationId);
        if (!conversation) throw new NotFound();
        return this.sendLocked(principal, conversation, wanted);
      },
      { row: conversationId },
    );
  }

  /** The short way. @returns null when it has to go the long one */
  async trySendFast(principal: Principal, conversationId: string, wanted: NewMessage): Promise<Message | null> {
    if (wanted.expected_last_seq !== undefined) return null;
    // who may not speak here, or names nobody to speak for, is told so where it is known whether there is such a conversation
    const sender = await this.senders.of(principal, wanted).catch(unlessRefused);
    if (!sender) return null;
    return this.fastPath.send(principal, conversationId, draftOf(sender, wanted), actorOfSender(sender));
  }

  /** Into a conversation that the caller's unit of work holds locked. */
  async sendLocked(principal: Principal, conversation: Conversation, wanted: NewMessage): Promise<LockedSendResult> {
    if (conversation.erasedAt) throw new ConversationErased();
    const sender = await this.senders.of(principal, wanted);
    const twin = await this.findExisting(conversation, sender, wanted.client_message_id);
    if (twin) return { message: twin, conversation, created: false };
    await this.assertFits(principal, conversation, wanted);
    const actor = actorOfSender(sender);
    if (!wanted.private) await this.changes.trigger(conversation, TRIGGER[sender.type], actor);
    const message = await this.appender.append(conversation, draftOf(sender, wanted), actor);
    return { message, conversation, created: true };
  }

  /** Whether the sender's own id has made this message here before. */
  async isAlreadySent(principal: Principal, conversation: Conversation, wanted: NewMessage): Promise<boolean> {
    const sender = await this.senders.of(principal, wanted);
    return (await this.findExisting(conversation, sender, wanted.client_message_id)) !== null;
  }

  private async findExisting(
    conversation: Conversation,
    sender: Sender,
    clientId: string | undefined,
  ): Promise<Message | null> {
    return clientId === undefined ? null : this.messages.byClientId(conversation.id, sender, clientId);
  }

  private async assertFits(principal: Principal, conversation: Conversation, wanted: NewMessage): Promise<void> {
    const { expected_last_seq: expected, reply_to_id: replyTo } = wanted;
    if (expected !== undefined && expected < conversation.lastSeq) {
      throw new ConversationMoved({ data: { last_seq: conversation.lastSeq } });
    }
    if (replyTo === undefined) return;
    const answered = await this.messages.find(principal, conversation, replyTo);
    if (!answered) throw new ReplyUnknown();
    if (answered.private && !wanted.private) throw new ReplyToNote();
  }
}

/** What is wrong with a message wherever it goes. @throws ContentRequired, ContentTypeReserved, Unsupported */
export function assertSendable(wanted: NewMessage): void {
  if (wanted.attachment_ids !== undefined) throw new Unsupported({ message: 'Attachments are not supported yet.' });
  if (wanted.content_type === 'event') throw new ContentTypeReserved();
  assertHasContent(wanted.content);
}

/** @throws ContentRequired */
export function assertHasContent(content: string | undefined): void {
  if (content === undefined || content.trim() === '') throw new ContentRequired();
}

function draftOf(sender: Sender, wanted: NewMessage) {
  return {
    senderType: sender.type,
    senderId: sender.id,
    senderName: sender.name,
    contentType: wanted.content_type ?? ('text' as const),
    content: wanted.content ?? null,
    metadata: wanted.metadata ?? {},
    clientMessageId: wanted.client_message_id ?? null,
    private: wanted.private ?? false,
    replyToId: wanted.reply_to_id ?? null,
  };
}

function unlessRefused(error: unknown): null {
  if (error instanceof DomainError) return null;
  throw error;
}

function actorOfSender(sender: Sender): Actor {
  return { type: sender.type === 'agent' ? 'member' : sender.type, id: sender.id };
}
