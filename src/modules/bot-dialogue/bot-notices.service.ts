import { Injectable } from '@nestjs/common';
import { Fanout } from '../../platform/fanout/fanout.js';
import type { Bot } from '../bots/index.js';
import type { Conversation } from '../conversations/index.js';
import type { DraftSender, NoticeScope } from './bot-notice.js';
import { BOT_NOTICES_SUBJECT } from './bot-notice.js';
import { DraftStream } from './draft-stream.js';

/** Typing expires after 8 s, so it is shown anew before. */
const TYPING_MS = 5_000;

/** Shows visitors and agents that a bot types, and what it has written so far. */
@Injectable()
export class BotNoticesService {
  constructor(private readonly fanout: Fanout) {}

  /** Shows the bot typing, for 8 seconds. */
  showTyping(conversation: Conversation, bot: Bot): void {
    this.publishTyping('typing', conversation, bot);
  }

  /** Shows the bot typing until the returned function is called. */
  startTyping(conversation: Conversation, bot: Bot): () => void {
    this.publishTyping('typing', conversation, bot);
    const timer = setInterval(() => this.publishTyping('typing', conversation, bot), TYPING_MS).unref();
    return () => {
      clearInterval(timer);
      this.publishTyping('typing.stop', conversation, bot);
    };
  }

  /** Begins a draft, whose frames name the turn that it answers. */
  startDraft(conversation: Conversation, bot: Bot, draftId: string, turnId: string): DraftStream {
    const scope = scopeOf(conversation);
    const draft = { conversation_id: conversation.id, draft_id: draftId, turn_id: turnId, sender: senderOf(bot) };
    return new DraftStream(draftId, (text, state) =>
      this.fanout.publish(BOT_NOTICES_SUBJECT, { ...scope, type: 'draft', draft: { ...draft, text, state } }),
    );
  }

  private publishTyping(type: 'typing' | 'typing.stop', conversation: Conversation, bot: Bot): void {
    this.fanout.publish(BOT_NOTICES_SUBJECT, { ...scopeOf(conversation), type, bot: senderOf(bot) });
  }
}

function senderOf({ id, name, avatarUrl }: Bot): DraftSender {
  return { type: 'bot', id, name, avatar_url: avatarUrl };
}

function scopeOf({ workspaceId, channelId, id, contactId }: Conversation): NoticeScope {
  return { workspaceId, channelId, conversationId: id, contactId };
}
