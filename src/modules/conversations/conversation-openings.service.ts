import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { Channel } from '../channels/index.js';
import type { Contact } from '../contacts/index.js';
import { ContactsService, toContactSummary } from '../contacts/index.js';
import { ConversationChangeHooks } from './conversation-change-hooks.js';
import { ConversationCountsRepository } from './conversation-counts.repository.js';
import type { Conversation } from './conversation.js';
import { eventScopeOf, toConversationRecord } from './conversation.js';
import { toVisitorConversationRecord } from './visitor-conversation.js';
import { ConversationsRepository } from './conversations.repository.js';
import { keepSingleConversation } from './single-conversation.js';

/** A conversation to open. */
export interface Opening extends Partial<Pick<Conversation, 'context' | 'preChat'>> {
  channel: Channel;
  contact: Contact;
  subject?: string | null;
  /** The bot that answers first; by default people do. */
  botId?: string | null;
  /** The resolved conversation that it continues; by default the contact's latest one on the channel. */
  continuedId?: string | null;
}

/** Opens conversations, in the caller's unit of work. */
@Injectable()
export class ConversationOpeningsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly conversations: ConversationsRepository,
    private readonly counts: ConversationCountsRepository,
    private readonly contacts: ContactsService,
    private readonly hooks: ConversationChangeHooks,
  ) {}

  /**
   * Finds the conversation that a contact's message belongs to; null if it opens a new one. If the channel allows one
   * unresolved conversation, that is the unresolved one or else the latest, which the message may reopen.
   * @param continuedId the resolved conversation that the message was sent to; null if it was sent to none
   */
  async findCurrent(channel: Channel, contactId: string, continuedId: string | null): Promise<Conversation | null> {
    const { workspaceId, id, singleConversation } = channel;
    if (singleConversation) {
      const unresolved = await this.conversations.findUnresolved(workspaceId, id, contactId);
      return unresolved ?? this.conversations.findLatestResolved(workspaceId, id, contactId);
    }
    return continuedId === null
      ? null
      : this.conversations.findUnresolvedSuccessor(workspaceId, contactId, continuedId);
  }

  /**
   * Opens a conversation.
   * @param work what else belongs to the start. The conversation is counted after it, because counts are contended
   * @throws ConversationExists
   */
  async open<T>(principal: Principal, opening: Opening, work: (conversation: Conversation) => Promise<T>): Promise<T> {
    const { channel, contact } = opening;
    const { workspaceId } = channel;
    const key = { workspaceId, channelId: channel.id, contactId: contact.id };
    const conversation = await keepSingleConversation(this.conversations, key, () =>
      this.units.savepoint(() => this.insert(opening)),
    );
    await this.contacts.addChannel(workspaceId, contact.id, channel.id);
    await this.events.record({
      type: 'conversation.created',
      ...eventScopeOf(conversation),
      actor: actorOf(principal),
      payload: {
        conversation: toConversationRecord(conversation),
        contact: toContactSummary(contact),
        visitor: toVisitorConversationRecord(conversation, null),
      },
    });
    const result = await work(conversation);
    await this.hooks.run([{ from: null, to: conversation }], actorOf(principal));
    await this.counts.moveCount(workspaceId, null, conversation);
    return result;
  }

  /** Draws the number and inserts the row in one savepoint, so that a refused row uses no number. */
  private async insert({
    channel,
    contact,
    subject = null,
    botId = null,
    continuedId = null,
    context = null,
    preChat = null,
  }: Opening): Promise<Conversation> {
    const { workspaceId } = channel;
    const continued = channel.singleConversation ? null : continuedId;
    const latest = await this.conversations.findLatestResolved(workspaceId, channel.id, contact.id);
    const number = await this.conversations.nextNumber(workspaceId);
    const now = await this.conversations.databaseNow();
    return this.conversations.insert({
      id: newId(),
      workspaceId,
      number,
      channelId: channel.id,
      contactId: contact.id,
      status: botId === null ? 'open' : 'pending',
      priority: 'none',
      assigneeId: null,
      botId,
      control: botId === null ? 'human' : 'bot',
      single: channel.singleConversation,
      subject,
      tagIds: [],
      tags: [],
      customAttributes: {},
      snoozedUntil: null,
      waitingSince: null,
      firstResponseAt: null,
      firstResponseDue: false,
      contactDue: true,
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
      beforeResolve: null,
      reopenedCount: 0,
      previousConversationId: continued ?? latest?.id ?? null,
      csat: null,
      csatMemberId: null,
      context,
      preChat,
      handoff: null,
      erasedAt: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
  }
}
