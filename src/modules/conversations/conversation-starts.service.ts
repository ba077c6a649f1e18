import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { violates } from '../../platform/database/database-errors.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLog } from '../../platform/events/event-log.js';
import type { Channel } from '../channels/index.js';
import { ChannelsService } from '../channels/index.js';
import type { Contact } from '../contacts/index.js';
import { ContactsService, toContactSummary } from '../contacts/index.js';
import type { Conversation } from './conversation.js';
import { toConversationRecord, toVisitorConversationRecord } from './conversation.js';
import { unknownId } from './conversations.errors.js';
import { ConversationsRepository } from './conversations.repository.js';
import { isPastReopening } from './lifecycle.js';
import type { NewMessage, SendResult, LockedSendResult } from './messages/messages.service.js';
import { assertSendable, MessagesService } from './messages/messages.service.js';
import { keepSingleConversation } from './single-conversation.js';
import { ConversationCountsRepository } from './conversation-counts.repository.js';

export interface NewConversation {
  contact_id: string;
  channel_id: string;
  subject?: string | undefined;
  message?: NewMessage | undefined;
}

/** Result of sending a message that may start a conversation. */
export type StartResult = LockedSendResult & { conversationCreated: boolean };

const ATTEMPTS = 5;

/** Starts conversations. */
@Injectable()
export class ConversationStartsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLog,
    private readonly conversations: ConversationsRepository,
    private readonly counts: ConversationCountsRepository,
    private readonly messages: MessagesService,
    private readonly channels: ChannelsService,
    private readonly contacts: ContactsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a visitor's first message. If the channel allows one unresolved conversation and there is one, the message
   * goes there.
   */
  async startByVisitor(principal: VisitorPrincipal, message: NewMessage): Promise<StartResult> {
    assertSendable(message);
    return this.sendOrStart(principal, message, null);
  }

  /**
   * Sends a visitor's message to its conversation, or starts a new one if the reopen window has passed. Decides under
   * the conversation's lock, so that concurrent late messages start one conversation, and a message sent in time is not
   * sent again.
   */
  async continueByVisitor(principal: VisitorPrincipal, id: string, message: NewMessage): Promise<SendResult> {
    assertSendable(message);
    const sentFast = await this.messages.trySendFast(principal, id, message);
    if (sentFast) return { message: sentFast, created: true };
    return this.units.run(
      async () => {
        await this.contacts.lockForShare(principal);
        const conversation = await this.conversations.lockVisible(principal, id);
        if (!conversation) throw new NotFound();
        const channel = await this.findChannel(principal);
        const late = isPastReopening(conversation, channel.reopenWindowHours, this.clock.now());
        if (late && !(await this.messages.isAlreadySent(principal, conversation, message))) {
          // the message replied to is not in the new conversation
          return this.sendOrStart(principal, { ...message, reply_to_id: undefined }, conversation);
        }
        return { ...(await this.messages.sendLocked(principal, conversation, message)), conversationCreated: false };
      },
      { row: id },
    );
  }

  /**
   * Starts a conversation for an agent or an API key.
   * @throws ConversationExists @throws ValidationFailed for an unknown contact or channel
   */
  async startByStaff(principal: StaffPrincipal, request: NewConversation): Promise<Conversation> {
    if (request.message) assertSendable(request.message);
    const channel = await this.channels.get(principal, request.channel_id).catch(asFieldError('channel_id'));
    const contact = await this.contacts.get(principal, request.contact_id).catch(asFieldError('contact_id'));
    const key = { workspaceId: principal.workspaceId, channelId: channel.id, contactId: contact.id };
    return keepSingleConversation(this.conversations, key, () =>
      this.units.run(async () => {
        if (!(await this.contacts.lockActiveForShare(principal.workspaceId, contact.id))) throw unknownId('contact_id');
        const conversation = await this.create(principal, channel, contact, { subject: request.subject ?? null });
        if (request.message) await this.messages.sendLocked(principal, conversation, request.message);
        await this.counts.moveCount(conversation.workspaceId, null, conversation);
        return conversation;
      }),
    );
  }

  /**
   * Sends to the current conversation, or starts one. Concurrent first messages start one conversation: the unique
   * index lets one insert through, and the others find its row and send there.
   */
  private async sendOrStart(
    principal: VisitorPrincipal,
    message: NewMessage,
    previous: Conversation | null,
  ): Promise<StartResult> {
    const { workspaceId, contactId } = principal;
    const channel = await this.findChannel(principal);
    const contact = await this.contacts.get(principal, contactId);
    for (let attempt = 1; ; attempt += 1) {
      const current = await this.findCurrent(channel, contactId, previous);
      if (current) {
        return { ...(await this.messages.sendWithLock(principal, current.id, message)), conversationCreated: false };
      }
      try {
        return await this.units.run(async () => {
          await this.contacts.lockForShare(principal);
          const conversation = await this.create(principal, channel, contact, {
            previousConversationId: previous?.id ?? null,
          });
          const sent = await this.messages.sendLocked(principal, conversation, message);
          await this.counts.moveCount(workspaceId, null, conversation);
          return { ...sent, conversationCreated: true };
        });
      } catch (error) {
        if (attempt >= ATTEMPTS || !violates(error, 'uq_conversation_unresolved')) throw error;
      }
    }
  }

  /** The unresolved conversation that the message belongs to; null if it starts a new one. */
  private async findCurrent(
    channel: Channel,
    contactId: string,
    previous: Conversation | null,
  ): Promise<Conversation | null> {
    const { workspaceId, id, singleConversation } = channel;
    if (singleConversation) return this.conversations.findUnresolved(workspaceId, id, contactId);
    return previous && this.conversations.findUnresolvedSuccessor(previous);
  }

  private async findChannel({ workspaceId, channelId }: VisitorPrincipal): Promise<Channel> {
    const channel = await this.channels.find(workspaceId, channelId);
    if (!channel) throw new NotFound();
    return channel;
  }

  /** The caller updates the counts at the end of its unit of work. */
  private async create(
    principal: Principal,
    channel: Channel,
    contact: Contact,
    fields: Partial<Conversation>,
  ): Promise<Conversation> {
    const { workspaceId } = channel;
    const conversation = await this.units.savepoint(() => this.insert(channel, contact, fields));
    await this.contacts.addChannel(workspaceId, contact.id, channel.id);
    await this.events.record({
      type: 'conversation.created',
      workspaceId,
      channelId: channel.id,
      conversationId: conversation.id,
      contactId: contact.id,
      actor: actorOf(principal),
      payload: {
        conversation: toConversationRecord(conversation),
        contact: toContactSummary(contact),
        visitor: toVisitorConversationRecord(conversation, null),
      },
    });
    return conversation;
  }

  /** Draws the number and inserts the row in one savepoint, so that a refused row uses no number. */
  private async insert(channel: Channel, contact: Contact, fields: Partial<Conversation>): Promise<Conversation> {
    const { workspaceId } = channel;
    const number = await this.conversations.nextNumber(workspaceId);
    const now = await this.conversations.databaseNow();
    return this.conversations.insert({
      id: newId(),
      workspaceId,
      number,
      channelId: channel.id,
      contactId: contact.id,
      status: 'open',
      priority: 'none',
      assigneeId: null,
      botId: null,
      control: 'human',
      single: channel.singleConversation,
      subject: null,
      tags: [],
      customAttributes: {},
      snoozedUntil: null,
      waitingSince: null,
      firstResponseAt: null,
      lastMessage: null,
      lastPublicMessage: null,
      lastActivityAt: now,
      lastSeq: 0,
      lastPublicSeq: 0,
      unreadAgents: 0,
      unreadContact: 0,
      agentLastReadSeq: 0,
      contactLastReadSeq: 0,
      resolvedAt: null,
      resolvedBy: null,
      reopenedCount: 0,
      previousConversationId: null,
      csat: null,
      erasedAt: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
      ...fields,
    });
  }
}

/** Turns NotFound into a validation error of the field. */
function asFieldError(field: string): (error: unknown) => never {
  return error => {
    throw error instanceof NotFound ? unknownId(field) : error;
  };
}
