import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { systemOf } from '../../kernel/principal.js';
import { BotsService } from '../bots/index.js';
import type { Conversation } from '../conversations/index.js';
import { MessageAppenderService } from './message-appender.service.js';
import type { AutomaticKind } from './message.js';

/** Sends public messages of the service itself, as the workspace's system bot. They count as no answer. */
@Injectable()
export class AutomaticMessagesService {
  constructor(
    private readonly appender: MessageAppenderService,
    private readonly bots: BotsService,
  ) {}

  /** Appends a message to a conversation that the caller's unit of work has locked. */
  async append(conversation: Conversation, auto: AutomaticKind, content: string): Promise<void> {
    const { workspaceId } = conversation;
    const senderId = await this.bots.systemBotId(workspaceId);
    const draft = {
      senderType: 'bot',
      senderId,
      senderName: null,
      senderAvatarUrl: null,
      contentType: 'text',
      content,
    } as const;
    await this.appender.append(conversation, { ...draft, metadata: { auto } }, actorOf(systemOf(workspaceId)));
  }
}
