import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { NotFound, ValidationFailed } from '../../kernel/errors.js';
import type { StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Channel, VisitedPage } from '../channels/index.js';
import { ChannelsService, readPreChatAnswers, readVisitedPage } from '../channels/index.js';
import type { Contact } from '../contacts/index.js';
import { ContactsService, VisitorPagesService } from '../contacts/index.js';
import type { Conversation, ConversationContext } from '../conversations/index.js';
import {
  BotControlService,
  ConversationOpeningsService,
  ConversationExists,
  describeUserAgent,
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

/** A visitor's message that may start a conversation. */
interface VisitorStart {
  message: NewMessage;
  /** Answers to the channel's pre-chat form; null where it is not asked. */
  answers: Readonly<Record<string, unknown>> | null;
  page: VisitedPage | null;
  userAgent: string | undefined;
}

/** Request to start a conversation. `page` is what the client sent, of any form. */
export interface VisitorStartRequest extends Partial<Pick<VisitorStart, 'userAgent'>> {
  message: NewMessage;
  pre_chat?: Readonly<Record<string, unknown>> | undefined;
  page?: unknown;
}

const NOT_ASKED = { details: {}, record: null, faults: [] };

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
    private readonly pages: VisitorPagesService,
    private readonly botControl: BotControlService,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a visitor's first message. If the channel allows one unresolved conversation, the message goes to the one there
   * is, or reopens the latest one while its reopen window lasts. Only a new conversation asks the pre-chat form.
   * @throws ValidationFailed for missing and invalid answers to the form
   */
  async startByVisitor(principal: VisitorPrincipal, request: VisitorStartRequest): Promise<StartResult> {
    const { message, pre_chat: answers = {}, userAgent } = request;
    assertSendable(message);
    const channel = await this.findChannel(principal);
    const page = readVisitedPage(request.page, channel.keptQueryParams);
    const result = await this.sendOrStart(principal, channel, { message, answers, page, userAgent }, null);
    if (page) this.pages.report(principal, page);
    return result;
  }

  /**
   * Sends a visitor's message to its conversation. If the reopen window has passed, or another conversation is
   * unresolved, the message goes where a first message goes. Decides under the conversation's lock, so that concurrent
   * late messages start one conversation, and a message sent in time is not sent again.
   */
  async continueByVisitor(
    principal: VisitorPrincipal,
    id: string,
    message: NewMessage,
    userAgent?: string,
  ): Promise<SendResult> {
    assertSendable(message);
    const sentFast = await this.messages.trySendFast(principal, id, message);
    if (sentFast) return { message: sentFast, created: true };
    const channel = await this.findChannel(principal);
    // the message replied to is not in another conversation
    const elsewhere = { message: { ...message, reply_to_id: undefined }, answers: null, page: null, userAgent };
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
   * opens it, and the others find it and send there. A message that has started a conversation is not sent again.
   * @param continuedId the resolved conversation that the message was sent to; null if it was sent to none
   */
  private async sendOrStart(
    principal: VisitorPrincipal,
    channel: Channel,
    start: VisitorStart,
    continuedId: string | null,
  ): Promise<StartResult> {
    const contact = await this.contacts.get(principal, principal.contactId);
    let startedId: string | null = null;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const id = startedId ?? (await this.openings.findCurrent(channel, contact.id, continuedId))?.id;
        const sent = id && (await this.sendUnlessLate(principal, channel, id, start.message));
        return sent || (await this.start(principal, { channel, contact, continuedId }, start));
      } catch (error) {
        if (attempt >= ATTEMPTS || !(error instanceof ConversationExists)) throw error;
        startedId = await this.messages.findConversationId(principal, start.message);
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

  /** @throws ConversationExists @throws ValidationFailed for answers to the pre-chat form */
  private start(
    principal: VisitorPrincipal,
    opening: { channel: Channel; contact: Contact; continuedId: string | null },
    { message, answers, page, userAgent }: VisitorStart,
  ): Promise<StartResult> {
    const { channel, contact } = opening;
    const form = channel.widgetConfig.pre_chat_form;
    const { details, record, faults } =
      answers && form.enabled ? readPreChatAnswers(form, answers, contact) : NOT_ASKED;
    const { locale, timezone } = contact;
    const present = page ?? this.pages.find(principal)?.page ?? null;
    const context: ConversationContext = { page: present, locale, timezone, ...describeUserAgent(userAgent) };
    return this.units.run(
      async () => {
        // A first message locks the contact exclusively, so that its repetition waits for it. A late message holds the
        // shared lock already, which cannot be raised without deadlocks.
        const updated = answers
          ? await this.contacts.update(principal, contact.id, contact.verified ? {} : details)
          : contact;
        await this.contacts.lockForShare(principal);
        const startedId = await this.messages.findConversationId(principal, message);
        if (startedId !== null) throw new ConversationExists({ data: { conversation_id: startedId } });
        const bot = await this.botControl.lockServingBot(channel);
        return this.openings.open(
          principal,
          { ...opening, contact: updated, context, preChat: record, botId: bot?.id ?? null },
          async conversation => {
            // from here on, no concurrent message can have opened a conversation that this one would join unasked
            if (faults.length > 0) throw new ValidationFailed({ details: faults });
            return { ...(await this.messages.sendLocked(principal, conversation, message)), conversationCreated: true };
          },
        );
      },
      { row: contact.id },
    );
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
