import { Injectable, OnModuleInit } from '@nestjs/common';
import type { Actor } from '../../../kernel/domain-event.js';
import { BotsService } from '../../bots/index.js';
import type { Conversation, Rating, Timeline, TimelineEntry } from '../../conversations/index.js';
import { TimelineHooks } from '../../conversations/index.js';
import { MessageAppenderService } from '../message-appender.service.js';
import { MessageEditsService } from '../message-edits.service.js';
import type { MessageFacts } from '../messages.events.js';
import { MessagesRepository } from '../messages.repository.js';

const RESOLVES = ['resolved', 'closed_by_contact'];
/** Entries that reports count. */
const REPORTED = [...RESOLVES, 'reopened', 'rated'];

/** Appends timeline entries as messages of the workspace's system bot. A public entry names no person. */
@Injectable()
export class TimelineListener implements OnModuleInit, Timeline {
  constructor(
    private readonly appender: MessageAppenderService,
    private readonly edits: MessageEditsService,
    private readonly messages: MessagesRepository,
    private readonly bots: BotsService,
    private readonly timelineHooks: TimelineHooks,
  ) {}

  onModuleInit(): void {
    this.timelineHooks.set(this);
  }

  async append(conversation: Conversation, entry: TimelineEntry, actor: Actor, memberId: string | null): Promise<void> {
    const { event, reason, until, rating } = entry;
    const senderId = await this.bots.systemBotId(conversation.workspaceId);
    const details = {
      actor,
      assignee_id: conversation.assigneeId,
      reason,
      until,
      ...(rating && ratingDetails(rating)),
    };
    await this.appender.append(
      conversation,
      {
        senderType: 'bot',
        senderId,
        senderName: null,
        senderAvatarUrl: null,
        contentType: 'event',
        content: null,
        metadata: { event, ...(entry.public ? {} : withoutUndefined(details)) },
        private: !entry.public,
      },
      actor,
      REPORTED.includes(event) ? toFacts(conversation, memberId, rating) : undefined,
    );
  }

  async withdrawResolve(conversation: Conversation, actor: Actor): Promise<boolean> {
    const last = await this.messages.findBySeq(conversation, conversation.lastPublicSeq);
    if (last?.contentType !== 'event' || !RESOLVES.includes(String(last.metadata.event))) return false;
    await this.edits.withdraw(conversation, last, actor);
    return true;
  }
}

function toFacts({ tagIds }: Conversation, memberId: string | null, rating: Rating | undefined): MessageFacts {
  const rated = rating && { score: rating.score, rated_at: rating.rated_at };
  return { member_id: memberId, tag_ids: tagIds, ...rated };
}

function ratingDetails({ score, comment }: Rating): Record<string, unknown> {
  return { score, comment };
}

function withoutUndefined(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}
