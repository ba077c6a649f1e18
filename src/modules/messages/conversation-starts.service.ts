import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Channel } from '../channels/index.js';
import { ChannelsService } from '../channels/index.js';
import { ContactsService } from '../contacts/index.js';
import type { Conversation } from '../conversations/index.js';
import {
  ConversationOpeningsService,
  ConversationExists,
  unknownId,
  ConversationsService,
  isPastReopening,
} from '../conversations/index.js';
import type { LockedSendResult, NewMessage, SendResult } from './messages.service.js';
import { assertSendable, MessagesService } from './messages.service.js';

export interface NewConversation {
  contact_id: string;
  channel_id: string;
  subject?: string | undefined;
  message?: NewMessage | undefined;
}

/** Result of sending a message that may start a conversation. */
export type StartResult = LockedSendResult & { conversationCreated: boolean };

const ATTEMPTS = 5;

/** Starts conversations, with or without a first message. */
@Injectable()
export class ConversationStartsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly conversations: ConversationsService,
    private readonly openings: ConversationOpeningsService,
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
        const conversation = await this.conversations.lock(principal, id);
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
    const { message, subject = null } = request;
    if (message) assertSendable(message);
    const channel = await this.channels.get(principal, request.channel_id).catch(asFieldError('channel_id'));
    const contact = await this.contacts.get(principal, request.contact_id).catch(asFieldError('contact_id'));
    return this.units.run(async () => {
      if (!(await this.contacts.lockActiveForShare(principal.workspaceId, contact.id))) throw unknownId('contact_id');
      return this.openings.open(principal, { channel, contact, subject }, async conversation => {
        if (message) await this.messages.sendLocked(principal, conversation, message);
        return conversation;
      });
    });
  }

  /**
   * Sends to the current conversation, or starts one. Concurrent first messages start one conversation: one of them
   * opens it, and the others find it and send there.
   */
  private async sendOrStart(
    principal: VisitorPrincipal,
    message: NewMessage,
    previous: Conversation | null,
  ): Promise<StartResult> {
    const channel = await this.findChannel(principal);
    const contact = await this.contacts.get(principal, principal.contactId);
    const opening = { channel, contact, previousConversationId: previous?.id ?? null };
    for (let attempt = 1; ; attempt += 1) {
      const current = await this.openings.findCurrent(channel, contact.id, previous);
      if (current) {
        return { ...(await this.messages.sendWithLock(principal, current.id, message)), conversationCreated: false };
      }
      try {
        return await this.units.run(async () => {
          await this.contacts.lockForShare(principal);
          return this.openings.open(principal, opening, async conversation => ({
            ...(await this.messages.sendLocked(principal, conversation, message)),
            conversationCreated: true,
          }));
        });
      } catch (error) {
        if (attempt >= ATTEMPTS || !(error instanceof ConversationExists)) throw error;
      }
    }
  }

  private async findChannel({ workspaceId, channelId }: VisitorPrincipal): Promise<Channel> {
    const channel = await this.channels.find(workspaceId, channelId);
    if (!channel) throw new NotFound();
    return channel;
  }
}

/** Turns NotFound into a validation error of the field. */
function asFieldError(field: string): (error: unknown) => never {
  return error => {
    throw error instanceof NotFound ? unknownId(field) : error;
  };
}
