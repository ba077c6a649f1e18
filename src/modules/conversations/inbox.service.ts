import { Injectable } from '@nestjs/common';
import type { EventType } from '../../kernel/domain-event.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import type { EventRange } from '../../platform/events/reading-position.repository.js';
import { ConversationCountsRepository } from './conversation-counts.repository.js';
import { ConversationFacetsRepository } from './conversation-facets.repository.js';
import type { ConversationWithContact } from './conversation-views.service.js';
import type { Conversation } from './conversation.js';
import type { InboxCounts, InboxFilters, InboxQuery } from './inbox.js';
import { InboxRepository } from './inbox.repository.js';
import { ParticipantsRepository } from './participants.repository.js';

/** Counts that no table keeps stop here. */
const MAX_COUNT = 100;

/** Lists and counts conversations. */
@Injectable()
export class InboxService {
  constructor(
    private readonly inbox: InboxRepository,
    private readonly facets: ConversationFacetsRepository,
    private readonly counts: ConversationCountsRepository,
    private readonly participants: ParticipantsRepository,
  ) {}

  list(principal: StaffPrincipal, query: InboxQuery): Promise<Page<ConversationWithContact>> {
    return this.inbox.findPage(principal, query);
  }

  /** Finds those of the conversations that the caller may see. Erased ones are left out. */
  async findVisible(principal: StaffPrincipal, ids: readonly string[]): Promise<ConversationWithContact[]> {
    return ids.length === 0 ? [] : this.inbox.findVisible(principal, ids);
  }

  listForVisitor(principal: VisitorPrincipal, page: PageRequest): Promise<Page<Conversation>> {
    return this.inbox.findVisitorPage(principal, page);
  }

  /** @param maxWaiting counting of those that wait stops here */
  async getCounts(principal: StaffPrincipal, maxWaiting = MAX_COUNT): Promise<InboxCounts> {
    const [counts, waiting, mentions] = await Promise.all([
      this.counts.getCounts(principal),
      this.inbox.countMatches(principal, { sort: 'waiting' }, maxWaiting),
      principal.kind === 'agent' ? this.participants.countUnreadMentions(principal) : 0,
    ]);
    return { ...counts, waiting, mentioned_unread: mentions };
  }

  /** Counts the conversations that match; counting stops at `limit`. @param timeout in milliseconds */
  countMatches(principal: StaffPrincipal, filters: InboxFilters, limit: number, timeout?: number): Promise<number> {
    return this.inbox.countMatches(principal, filters, limit, timeout);
  }

  /** Brings the lists up to date with events of these types. */
  followEvents(range: EventRange, types: readonly EventType[]): Promise<void> {
    return this.facets.follow(range, types);
  }
}
