import { Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Fanout } from '../../platform/fanout/fanout.js';
import type { SocketConnection } from '../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import type { BotNotice } from '../bot-dialogue/index.js';
import { BOT_NOTICES_SUBJECT, isBotNotice } from '../bot-dialogue/index.js';
import { ephemeralFrame } from './ephemeral-frames.js';
import { topics } from './topics.js';

const TYPING_MS = 8_000;
/** A draft that has not changed for so long is not shown to sockets that join; its instance may have crashed. */
const DRAFT_MS = 30_000;
/** Drafts of all workspaces that are kept for sockets that join. */
const MAX_DRAFTS = 2_000;

type DraftNotice = Extract<BotNotice, { type: 'draft' }>;
type TypingNotice = Exclude<BotNotice, { type: 'draft' }>;

/** Sends what bots type and have written so far to the sockets that show the conversation. */
@Injectable()
export class BotFramesService implements OnApplicationBootstrap, OnApplicationShutdown {
  /** The draft under way of each conversation. */
  private readonly drafts = new LRUCache<string, DraftNotice>({ max: MAX_DRAFTS, ttl: DRAFT_MS });
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly hub: SocketHub,
    private readonly fanout: Fanout,
  ) {}

  onApplicationBootstrap(): void {
    this.unsubscribe = this.fanout.subscribe(BOT_NOTICES_SUBJECT, isBotNotice, notice => {
      if (notice.type === 'draft') this.showDraft(notice);
      else this.showTyping(notice);
    });
  }

  onApplicationShutdown(): void {
    this.unsubscribe();
  }

  /** Sends a socket that has just joined the draft under way. */
  sendDraft(connection: SocketConnection, conversationId: string): void {
    const notice = this.drafts.get(conversationId);
    if (notice) connection.send(draftFrame(notice), true);
  }

  /** Like `sendDraft`, for all conversations of a visitor. */
  sendDraftsOfContact(connection: SocketConnection, contactId: string, channelId: string): void {
    for (const notice of this.drafts.values()) {
      if (notice.contactId === contactId && notice.channelId === channelId) connection.send(draftFrame(notice), true);
    }
  }

  private showDraft(notice: DraftNotice): void {
    const { contactId, channelId, conversationId, draft } = notice;
    if (draft.state === 'streaming') this.drafts.set(conversationId, notice);
    else this.drafts.delete(conversationId);
    const audience = [
      topics.conversation(conversationId),
      topics.viewers(conversationId),
      topics.contact(contactId, channelId),
      topics.visitorConversation(conversationId),
    ];
    this.hub.broadcast(audience, draftFrame(notice), { ephemeral: true });
  }

  private showTyping({ type, workspaceId, channelId, conversationId, contactId, bot }: TypingNotice): void {
    const sender = { sender_type: 'bot', sender_id: bot.id, name: bot.name } as const;
    const expires = type === 'typing' ? { expires_in_ms: TYPING_MS } : {};
    const data = { conversation_id: conversationId, ...sender, ...expires };
    const frame = ephemeralFrame(type, data, { conversation_id: conversationId, channel_id: channelId });
    const audience = [
      topics.inbox(workspaceId),
      topics.channel(channelId),
      topics.conversation(conversationId),
      topics.contact(contactId, channelId),
      topics.visitorConversation(conversationId),
    ];
    this.hub.broadcast(audience, frame, { ephemeral: true });
  }
}

function draftFrame({ conversationId, channelId, draft }: DraftNotice) {
  return ephemeralFrame('message.draft', draft, { conversation_id: conversationId, channel_id: channelId });
}
