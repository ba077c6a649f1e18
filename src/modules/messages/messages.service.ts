import { Injectable } from '@nestjs/common';
import { toWireTime } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { Actor } from '../../kernel/domain-event.js';
import { newId } from '../../kernel/ids.js';
import type { Principal, VisitorPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { AttachmentRef } from '../attachments/index.js';
import { AttachmentsService } from '../attachments/index.js';
import { ReplyTimesService } from '../availability/index.js';
import { ContactsService } from '../contacts/index.js';
import type { Conversation, SenderType, Trigger } from '../conversations/index.js';
import {
  BotControlService,
  ConversationChangesService,
  ConversationErased,
  ConversationsService,
} from '../conversations/index.js';
import { BotMessageHooks } from './bot-message-hooks.js';
import { BotLimitsService } from './bot-limits.service.js';
import { ContactMessageHooks } from './contact-message-hooks.js';
import {
  BotMessageLimit,
  ContentRequired,
  ContentTypeReserved,
  ConversationMoved,
  MetadataReserved,
  ReplyToNote,
  ReplyUnknown,
} from './messages.errors.js';
import { MentionsService } from './mentions.service.js';
import { MessageAppenderService } from './message-appender.service.js';
import { findReservedKey } from './message-metadata.js';
import type { ContentType, Message } from './message.js';
import type { MessageWindow } from './message-page.js';
import { MessagesRepository } from './messages.repository.js';
import { FastPathSendsService } from './fast-path-sends.service.js';
import type { Sender } from './senders.service.js';
import { SendersService } from './senders.service.js';

/** Request to send a message. */
export interface NewMessage {
  content?: string | undefined;
  content_type?: ContentType | undefined;
  attachment_ids?: readonly string[] | undefined;
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
  /** false if the client id was already used; `message` is then the existing one. */
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
    private readonly conversations: ConversationsService,
    private readonly messages: MessagesRepository,
    private readonly changes: ConversationChangesService,
    private readonly appender: MessageAppenderService,
    private readonly fastPath: FastPathSendsService,
    private readonly senders: SendersService,
    private readonly mentions: MentionsService,
    private readonly contacts: ContactsService,
    private readonly contactMessageHooks: ContactMessageHooks,
    private readonly replyTimes: ReplyTimesService,
    private readonly attachments: AttachmentsService,
    private readonly botControl: BotControlService,
    private readonly botLimits: BotLimitsService,
    private readonly botMessageHooks: BotMessageHooks,
  ) {}

  async list(principal: Principal, conversationId: string, window: MessageWindow): Promise<Message[]> {
    const conversation = await this.conversations.get(principal, conversationId);
    return this.messages.findWindow(principal, conversation, window);
  }

  /**
   * Sends a message to a conversation that the caller may see. A used `client_message_id` returns the existing message.
   * A bot that has reached its limit loses the conversation to people.
   */
  async send(principal: Principal, conversationId: string, request: NewMessage): Promise<SendResult> {
    assertSendable(request);
    const message = await this.trySendFast(principal, conversationId, request);
    if (message) return { message, created: true };
    try {
      return await this.sendWithLock(principal, conversationId, request);
    } catch (error) {
      if (error instanceof BotMessageLimit) await this.botLimits.handOff(principal.workspaceId, conversationId);
      throw error;
    }
  }

  /** Sends under the conversation's lock, in a transaction. Handles every case; `assertSendable` must have passed. */
  async sendWithLock(principal: Principal, conversationId: string, request: NewMessage): Promise<LockedSendResult> {
    return this.units.run(
      async () => {
        if (principal.kind === 'visitor') await this.contacts.lockForShare(principal);
        const conversation = await this.conversations.lock(principal, conversationId);
        return this.sendLocked(principal, conversation, request);
      },
      { row: conversationId },
    );
  }

  /** Tries the fast path. @returns null if the message needs `sendWithLock` */
  async trySendFast(principal: Principal, conversationId: string, request: NewMessage): Promise<Message | null> {
    if (request.expected_last_seq !== undefined || request.metadata?.mentions !== undefined) return null;
    if (hasAttachments(request)) return null;
    // sendWithLock reports an invalid sender, after it has checked that the conversation is visible
    const sender = await this.senders.resolveSender(principal, request).catch(nullIfDomainError);
    if (!sender || sender.type === 'bot') return null;
    return this.fastPath.send(principal, conversationId, draftOf(sender, request), actorOfSender(sender));
  }

  /** Sends to a conversation that the caller's unit of work has locked. */
  async sendLocked(principal: Principal, conversation: Conversation, request: NewMessage): Promise<LockedSendResult> {
    if (conversation.erasedAt) throw new ConversationErased();
    const sender = await this.senders.resolveSender(principal, request);
    const existing = await this.findExisting(conversation, sender, request.client_message_id);
    if (existing) return { message: existing, conversation, created: false };
    if (sender.type === 'bot') await this.assertBotMaySpeak(conversation, sender.id);
    await this.assertExpectations(principal, conversation, request);
    const metadata = await this.mentions.resolve(conversation, request.metadata ?? {});
    const actor = actorOfSender(sender);
    const askedAt = waitsForPersonSince(conversation);
    if (!request.private) {
      const isReopened = sender.type === 'contact' && conversation.status === 'resolved';
      const bot = isReopened ? await this.botControl.lockServingBotOf(conversation) : null;
      await this.changes.trigger(conversation, TRIGGER[sender.type], actor, { botId: bot?.id ?? null });
    }
    const firstOfOpening = conversation.contactDue;
    const answersSince = sender.type === 'agent' && !request.private ? askedAt : null;
    const facts = answersSince && {
      member_id: sender.id,
      tag_ids: conversation.tagIds,
      asked_at: toWireTime(answersSince),
    };
    const id = newId();
    const attachments = await this.claimAttachments(principal, conversation, request, id);
    const draft = { ...draftOf(sender, request), id, metadata, attachments };
    const message = await this.appender.append(conversation, draft, actor, facts ?? undefined);
    if (sender.type === 'contact') await this.contactMessageHooks.run({ conversation, message, firstOfOpening });
    if (sender.type === 'bot') await this.botMessageHooks.run({ conversation, message });
    if (answersSince) {
      await this.replyTimes.record(conversation, { askedAt: answersSince, answeredAt: message.createdAt });
    }
    return { message, conversation, created: true };
  }

  /** The visitor's conversation to which it has already sent this message; null if there is none. */
  async findConversationId(principal: VisitorPrincipal, request: NewMessage): Promise<string | null> {
    const { client_message_id: clientId } = request;
    return clientId === undefined ? null : this.messages.findConversationId(principal, clientId);
  }

  /** Checks if the sender already sent a message with this client id here. */
  async isAlreadySent(principal: Principal, conversation: Conversation, request: NewMessage): Promise<boolean> {
    const sender = await this.senders.resolveSender(principal, request);
    return (await this.findExisting(conversation, sender, request.client_message_id)) !== null;
  }

  private async findExisting(
    conversation: Conversation,
    sender: Sender,
    clientId: string | undefined,
  ): Promise<Message | null> {
    return clientId === undefined ? null : this.messages.findByClientId(conversation.id, sender, clientId);
  }

  /** @throws BotNotInControl, BotMessageLimit */
  private async assertBotMaySpeak(conversation: Conversation, botId: string): Promise<void> {
    await this.botControl.assertInControl(conversation, botId);
    await this.botLimits.assertBelowLimit(conversation, botId);
  }

  private async claimAttachments(
    principal: Principal,
    { workspaceId, channelId, contactId }: Conversation,
    { attachment_ids: ids = [], private: isPrivate = false }: NewMessage,
    messageId: string,
  ): Promise<AttachmentRef[]> {
    if (ids.length === 0) return [];
    const message = { id: messageId, workspaceId, channelId, contactId, private: isPrivate };
    return this.attachments.claim(principal, ids, message);
  }

  private async assertExpectations(
    principal: Principal,
    conversation: Conversation,
    request: NewMessage,
  ): Promise<void> {
    const { expected_last_seq: expected, reply_to_id: replyTo } = request;
    if (expected !== undefined && expected < conversation.lastSeq) {
      throw new ConversationMoved({ data: { last_seq: conversation.lastSeq } });
    }
    if (replyTo === undefined) return;
    const target = await this.messages.find(principal, conversation, replyTo);
    if (!target) throw new ReplyUnknown();
    if (target.private && !request.private) throw new ReplyToNote();
  }
}

/**
 * Checks that do not depend on the conversation.
 * @throws ContentRequired, ContentTypeReserved, MetadataReserved
 */
export function assertSendable(request: NewMessage): void {
  if (request.content_type === 'event') throw new ContentTypeReserved();
  if (findReservedKey(request.metadata ?? {}, request.private ?? false) !== undefined) throw new MetadataReserved();
  if (!hasAttachments(request)) assertHasContent(request.content);
}

function hasAttachments({ attachment_ids: ids = [] }: NewMessage): boolean {
  return ids.length > 0;
}

/** @throws ContentRequired */
export function assertHasContent(content: string | undefined): void {
  if (content === undefined || content.trim() === '') throw new ContentRequired();
}

/** Since when the contact waits for the first answer of a person; null while a bot serves it, or if it has one. */
function waitsForPersonSince({ firstResponseDue, control, waitingSince }: Conversation): Date | null {
  return firstResponseDue && control === 'human' ? waitingSince : null;
}

function draftOf(sender: Sender, request: NewMessage) {
  return {
    senderType: sender.type,
    senderId: sender.id,
    senderName: sender.name,
    senderAvatarUrl: sender.avatarUrl,
    contentType: request.content_type ?? ('text' as const),
    content: request.content || null,
    metadata: request.metadata ?? {},
    clientMessageId: request.client_message_id ?? null,
    private: request.private ?? false,
    replyToId: request.reply_to_id ?? null,
  };
}

function nullIfDomainError(error: unknown): null {
  if (error instanceof DomainError) return null;
  throw error;
}

function actorOfSender(sender: Sender): Actor {
  return { type: sender.type === 'agent' ? 'member' : sender.type, id: sender.id };
}
