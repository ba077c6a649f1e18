import { Injectable, OnModuleInit } from '@nestjs/common';
import type { Actor } from '../../../kernel/domain-event.js';
import { BotsService } from '../../bots/index.js';
import type { Conversation, TimelineEntry } from '../../conversations/index.js';
import { TimelineHooks } from '../../conversations/index.js';
import { MessageAppenderService } from '../message-appender.service.js';

/** Appends timeline entries as messages of the workspace's system bot. A public entry names no person. */
@Injectable()
export class TimelineListener implements OnModuleInit {
  constructor(
    private readonly appender: MessageAppenderService,
    private readonly bots: BotsService,
    private readonly timelineHooks: TimelineHooks,
  ) {}

  onModuleInit(): void {
    this.timelineHooks.add((conversation, entry, actor) => this.append(conversation, entry, actor));
  }

  private async append(conversation: Conversation, entry: TimelineEntry, actor: Actor): Promise<void> {
    const senderId = await this.bots.systemBotId(conversation.workspaceId);
    const reason = entry.reason === undefined ? {} : { reason: entry.reason };
    const details = entry.public ? {} : { actor, assignee_id: conversation.assigneeId, ...reason };
    await this.appender.append(
      conversation,
      {
        senderType: 'bot',
        senderId,
        senderName: null,
        contentType: 'event',
        content: null,
        metadata: { event: entry.event, ...details },
        private: !entry.public,
      },
      actor,
    );
  }
}
