import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Conversation } from './conversation.js';
import { ConversationErased } from './conversations.errors.js';
import { ConversationsService } from './conversations.service.js';
import { LookHooks } from './look-hooks.js';
import type { MovedMention, ParticipantKey, Participation } from './participant.js';
import type { Look } from './participants.repository.js';
import { ParticipantsRepository } from './participants.repository.js';

/** Stores which members take part in conversations, and how far each of them has looked. */
@Injectable()
export class ParticipantsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly conversations: ConversationsService,
    private readonly participants: ParticipantsRepository,
    private readonly hooks: LookHooks,
  ) {}

  /**
   * Ends the caller's participation until it writes, or is assigned or mentioned, again.
   * @throws NotFound, ConversationErased
   */
  leave(principal: AgentPrincipal, id: string): Promise<Conversation> {
    return this.units.run(
      async () => {
        const conversation = await this.conversations.lock(principal, id);
        if (conversation.erasedAt) throw new ConversationErased();
        await this.participants.leave(keyOf(principal, conversation));
        await this.look(principal, conversation, conversation.lastSeq);
        return conversation;
      },
      { row: id },
    );
  }

  /** Records in the current unit of work that the caller has looked at the messages up to a `seq`. */
  async look(principal: AgentPrincipal, conversation: Conversation, seq: number): Promise<void> {
    const key = keyOf(principal, conversation);
    await this.participants.look(key, seq);
    await this.hooks.run(key, seq);
  }

  /** Like `look`, for conversations of which the caller knows only the ids. Runs no hooks. */
  lookAtAll(
    { workspaceId, memberId }: AgentPrincipal,
    looked: readonly { conversationId: string; seq: number }[],
  ): Promise<void> {
    return this.participants.lookAtAll({ workspaceId, memberId }, looked);
  }

  /** Records acts, one per member and conversation, and which members are no longer assigned. */
  async record(acts: readonly Participation[], unassigned: readonly ParticipantKey[]): Promise<void> {
    await this.participants.unassign(unassigned);
    await this.participants.join(acts);
  }

  findLooks(keys: readonly ParticipantKey[]): Promise<Look[]> {
    return this.participants.findLooks(keys);
  }

  /** Records the last mentions of members after notes were unsent. */
  moveMentions(moved: readonly MovedMention[]): Promise<void> {
    return this.participants.moveMentions(moved);
  }
}

function keyOf({ workspaceId, memberId }: AgentPrincipal, { id: conversationId }: Conversation): ParticipantKey {
  return { workspaceId, memberId, conversationId };
}
