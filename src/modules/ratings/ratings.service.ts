import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock, toWireTime } from '../../kernel/clock.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ChannelsService } from '../channels/index.js';
import { ContactsService } from '../contacts/index.js';
import type { Conversation } from '../conversations/index.js';
import {
  accountableMemberOf,
  ConversationChangesService,
  ConversationErased,
  ConversationsService,
} from '../conversations/index.js';
import { MessageHistoryService } from '../messages/index.js';
import { isRatable } from './rating.js';
import { RatingClosed } from './ratings.errors.js';

/** Takes visitors' ratings of resolved conversations. */
@Injectable()
export class RatingsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly channels: ChannelsService,
    private readonly contacts: ContactsService,
    private readonly conversations: ConversationsService,
    private readonly changes: ConversationChangesService,
    private readonly history: MessageHistoryService,
    private readonly clock: Clock,
  ) {}

  /**
   * Rates the visitor's conversation. The last rating counts. It stays when the conversation is reopened, and the next
   * resolve takes ratings anew.
   * @throws NotFound, ConversationErased, RatingClosed
   */
  rate(principal: VisitorPrincipal, id: string, score: number, comment: string | undefined): Promise<Conversation> {
    return this.units.run(
      async () => {
        await this.contacts.lockForShare(principal);
        const conversation = await this.conversations.lock(principal, id);
        if (conversation.erasedAt) throw new ConversationErased();
        await this.assertRatable(conversation);
        const rating = { score, comment: comment?.trim() || null, rated_at: toWireTime(this.ratedAt(conversation)) };
        const columns = { csat: rating, csatMemberId: accountableMemberOf(conversation) };
        const timeline = { event: 'rated', public: false, rating } as const;
        await this.changes.apply(conversation, { columns, timeline }, actorOf(principal));
        return conversation;
      },
      { row: id },
    );
  }

  private async assertRatable(conversation: Conversation): Promise<void> {
    const channel = await this.channels.find(conversation.workspaceId, conversation.channelId);
    if (!channel?.csatEnabled || !isRatable(conversation, this.clock.now())) throw new RatingClosed();
    if (!(await this.history.hasPublicMessage(conversation, ['agent', 'bot']))) throw new RatingClosed();
  }

  /** Never before the resolve, whose time may come from an instance with a faster clock. */
  private ratedAt({ resolvedAt }: Conversation): Date {
    return new Date(Math.max(this.clock.now().getTime(), resolvedAt?.getTime() ?? 0));
  }
}
