import { Injectable } from '@nestjs/common';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { systemOf } from '../../kernel/principal.js';
import type { Conversation, SenderType } from '../conversations/index.js';
import type { MessageRecord } from './message.js';
import { toMessageRecord } from './message.js';
import { MessagesRepository } from './messages.repository.js';

/** Messages read at once. Each has up to 20,000 characters. */
const PAGE = 50;

/**
 * Reads the messages of conversations for other modules. They have checked that the reader may see the conversation,
 * except for `findVisible`.
 */
@Injectable()
export class MessageHistoryService {
  constructor(private readonly messages: MessagesRepository) {}

  /** True if one of these senders has written publicly. Timeline entries and automatic messages do not count. */
  hasPublicMessage(conversation: Conversation, senders: readonly SenderType[]): Promise<boolean> {
    return this.messages.hasPublicMessage(conversation, senders);
  }

  /** Finds those of the messages that the caller may see. Unsent and erased ones and timeline entries are left out. */
  async findVisible(principal: StaffPrincipal, ids: readonly string[]): Promise<MessageRecord[]> {
    return ids.length === 0 ? [] : (await this.messages.findVisible(principal, ids)).map(toMessageRecord);
  }

  /** Public messages of agents in a range of `seq`, oldest first. Unsent ones and timeline entries are left out. */
  async findAnswers(
    conversation: Conversation,
    range: { after: number; upTo: number },
    limit: number,
  ): Promise<MessageRecord[]> {
    return (await this.messages.findAnswers(conversation, range, limit)).map(toMessageRecord);
  }

  /** Public messages before a `seq`, newest first, with unsent ones. Timeline entries are left out. */
  async findPublicBefore(conversation: Conversation, seq: number, limit: number): Promise<MessageRecord[]> {
    return (await this.messages.findPublicBefore(conversation, seq, limit)).map(toMessageRecord);
  }

  /** Yields the messages and timeline entries from the newest to the oldest, and reads them page by page. */
  async *readBackwards(
    conversation: Conversation,
    { includeNotes }: { includeNotes: boolean },
  ): AsyncGenerator<MessageRecord> {
    const reader = systemOf(conversation.workspaceId);
    for (let beforeSeq: number | undefined = conversation.lastSeq + 1; beforeSeq !== undefined;) {
      const page = await this.messages.findWindow(reader, conversation, { beforeSeq, limit: PAGE });
      const shown = page.filter(message => includeNotes || !message.private);
      yield* shown.reverse().map(toMessageRecord);
      beforeSeq = page.length < PAGE ? undefined : page[0]?.seq;
    }
  }
}
