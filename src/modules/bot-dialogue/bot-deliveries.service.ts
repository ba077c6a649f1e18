import { Injectable } from '@nestjs/common';
import { toWireTime } from '../../kernel/clock.js';
import type { BotPrincipal } from '../../kernel/principal.js';
import type { Bot } from '../bots/index.js';
import { ContactsService, toContactRecord, visibleRecord } from '../contacts/index.js';
import type { Conversation } from '../conversations/index.js';
import { toConversationRecord } from '../conversations/index.js';
import type { MessageRecord } from '../messages/index.js';
import { MessageHistoryService } from '../messages/index.js';
import type { BotTurn } from './bot-turn.js';

/** The bot as a caller in one conversation. */
export function principalOf({ id: botId, name, avatarUrl }: Bot, conversation: Conversation): BotPrincipal {
  const { workspaceId, channelId, contactId } = conversation;
  return { kind: 'bot', workspaceId, botId, name, avatarUrl, channelId, contactId };
}

/**
 * Makes the bodies of deliveries from the live rows, so that an unsent message or an erased contact is in none. A bot
 * sees public messages only, and no URL of a file.
 */
@Injectable()
export class BotDeliveriesService {
  constructor(
    private readonly contacts: ContactsService,
    private readonly history: MessageHistoryService,
  ) {}

  /** @returns null if the message or its contact no longer exists */
  async renderMessage(turn: BotTurn, bot: Bot, conversation: Conversation): Promise<string | null> {
    const principal = principalOf(bot, conversation);
    const contact = await this.contacts.find(conversation.workspaceId, conversation.contactId);
    const [message, ...earlier] = await this.history.findPublicBefore(conversation, turn.seq + 1, bot.historyCount + 1);
    if (!contact || message?.id !== turn.messageId) return null;
    return JSON.stringify({
      event: 'message.created',
      delivery_id: turn.id,
      conversation: publicRecord(conversation),
      message: withoutUrls(message),
      contact: visibleRecord(principal, toContactRecord(contact)),
      history: earlier.reverse().map(withoutUrls),
    });
  }

  renderEnd({ id, reason }: BotTurn, conversation: Conversation): string {
    const body = { event: 'conversation.ended', delivery_id: id, conversation: publicRecord(conversation), reason };
    return JSON.stringify(body);
  }
}

/** The conversation as of its last public message: private notes leave no trace. */
function publicRecord(conversation: Conversation): object {
  const { lastPublicMessage, lastPublicSeq, createdAt } = conversation;
  const record = toConversationRecord(conversation);
  const activeAt = lastPublicMessage?.created_at ?? toWireTime(createdAt);
  return {
    ...record,
    last_message: lastPublicMessage,
    last_seq: lastPublicSeq,
    agent_last_read_seq: Math.min(record.agent_last_read_seq, lastPublicSeq),
    last_activity_at: activeAt,
    updated_at: activeAt,
  };
}

/** The facts of a file without those that only its own URLs need. */
function withoutUrls(message: MessageRecord): object {
  const attachments = message.attachments.map(({ id, name, content_type, size }) => ({ id, name, content_type, size }));
  return { ...message, attachments };
}
