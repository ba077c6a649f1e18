import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Channel } from '../channels/index.js';
import { ChannelsService } from '../channels/index.js';
import { ContactsService } from '../contacts/index.js';
import type { Conversation, Opening } from '../conversations/index.js';
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
   * Sends a visitor's first message. If the channel allows one unresolved conversation, the message goes to the one there
   * is, or reopens the latest one while its reopen window lasts.
   */
  async startByVisitor(principal: VisitorPrincipal, message: NewMessage): Promise<StartResult> {
    assertSendable(message);
    return this.sendOrStart(principal, await this.findChannel(principal), message, null);
  }

  /**
   * Sends a visitor's message to its conversation. If the reopen window has passed, or another conversation is
   * unresolved, the message goes where a first message goes. Decides under the conversation's lock, so that concurrent
   * late messages start one conversation, and a message sent in time is not sent again.
   */
  async continueByVisitor(principal: VisitorPrincipal, id: string, message: NewMessage): Promise<SendResult> {
    assertSendable(message);
    const sentFast = await this.messages.trySendFast(principal, id, message);
    if (sentFast) return { message: sentFast, created: true };
    const channel = await this.findChannel(principal);
    // the message replied to is not in another conversation
    const elsewhere = { ...message, reply_to_id: undefined };
    try {
      return await this.units.run(
        async () =>
          (await this.sendUnlessLate(principal, channel, id, message)) ??
          (await this.sendOrStart(principal, channel, elsewhere, id)),
        { row: id },
      );
    } catch (error) {
      if (!(error instanceof ConversationExists)) throw error;
      return this.sendOrStart(principal, channel, elsewhere, null);
    }
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
   * @param continuedId the resolved conversation that the message was sent to; null if it was sent to none
   */
  private async sendOrStart(
    principal: VisitorPrincipal,
    channel: Channel,
    message: NewMessage,
    continuedId: string | null,
  ): Promise<StartResult> {
    const contact = await this.contacts.get(principal, principal.contactId);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const current = await this.openings.findCurrent(channel, contact.id, continuedId);
        const sent = current && (await this.sendUnlessLate(principal, channel, current.id, message));
        return sent ?? (await this.start(principal, { channel, contact, continuedId }, message));
      } catch (error) {
        if (attempt >= ATTEMPTS || !(error instanceof ConversationExists)) throw error;
      }
    }
  }

  /** @returns null if the reopen window has passed and the message was not sent before */
  private sendUnlessLate(
    principal: VisitorPrincipal,
    channel: Channel,
    id: string,
    message: NewMessage,
  ): Promise<StartResult | null> {
    return this.units.run(
      async () => {
        await this.contacts.lockForShare(principal);
        const conversation = await this.conversations.lock(principal, id);
        const late = isPastReopening(conversation, channel.reopenWindowHours, this.clock.now());
        if (late && !(await this.messages.isAlreadySent(principal, conversation, message))) return null;
        return { ...(await this.messages.sendLocked(principal, conversation, message)), conversationCreated: false };
      },
      { row: id },
    );
  }

  private start(principal: VisitorPrincipal, opening: Opening, message: NewMessage): Promise<StartResult> {
    return this.units.run(async () => {
      await this.contacts.lockForShare(principal);
      return this.openings.open(principal, opening, async conversation => ({
        ...(await this.messages.sendLocked(principal, conversation, message)),
        conversationCreated: true,
      }));
    });
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
