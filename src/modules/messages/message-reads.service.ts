import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import type { Principal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Conversation } from '../conversations/index.js';
import {
  ConversationChangesService,
  ConversationErased,
  ConversationsService,
  ParticipantsService,
} from '../conversations/index.js';
import { MessagesRepository } from './messages.repository.js';

/** Marks messages as read. */
@Injectable()
export class MessageReadsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly conversations: ConversationsService,
    private readonly changes: ConversationChangesService,
    private readonly participants: ParticipantsService,
    private readonly messages: MessagesRepository,
  ) {}

  /**
   * Marks messages up to `seq` as read: by the contact for a visitor, by the agents otherwise.
   * @throws NotFound, ConversationErased
   */
  read(principal: Principal, conversationId: string, seq: number): Promise<Conversation> {
    return this.units.run(
      async () => {
        const conversation = await this.conversations.lock(principal, conversationId);
        if (conversation.erasedAt) throw new ConversationErased();
        await this.readLocked(principal, conversation, seq);
        // also if other agents have read it: each member has notifications of its own
        if (principal.kind === 'agent') {
          await this.participants.look(principal, conversation, Math.min(seq, conversation.lastSeq));
        }
        return conversation;
      },
      { row: conversationId },
    );
  }

  private async readLocked(principal: Principal, conversation: Conversation, upTo: number): Promise<void> {
    const byContact = principal.kind === 'visitor';
    const { agentLastReadSeq, contactLastReadSeq } = conversation;
    const lastRead = byContact ? contactLastReadSeq : agentLastReadSeq;
    const seq = Math.min(upTo, byContact ? conversation.lastPublicSeq : conversation.lastSeq);
    if (seq <= lastRead) return;
    const unread = await this.messages.countUnread(
      conversation,
      byContact ? agentLastReadSeq : seq,
      byContact ? seq : contactLastReadSeq,
    );
    const publicSeq = await this.messages.findLastPublicSeq(conversation, lastRead, seq);
    const reader = byContact ? 'contact' : 'agents';
    await this.changes.markRead(conversation, { reader, seq, publicSeq, unread: unread[reader] }, actorOf(principal));
  }
}
