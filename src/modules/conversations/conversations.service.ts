import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { AgentPrincipal, Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Contact } from '../contacts/index.js';
import { MembersService } from '../members/index.js';
import { ChannelsService, FeatureDisabled } from '../channels/index.js';
import { canServe } from './assignee.js';
import { ConversationScopesRepository } from './conversation-scopes.repository.js';
import { ConversationChangesService } from './conversation-changes.service.js';
import type { ConversationWithContact } from './conversation-views.service.js';
import type { Conversation, ConversationScope, Priority } from './conversation.js';
import { AssigneeUnavailable, ConversationErased, SnoozeInPast, unknownId } from './conversations.errors.js';
import { ConversationsRepository } from './conversations.repository.js';
import type { ConversationCounts, InboxQuery } from './inbox.js';
import { InboxRepository } from './inbox.repository.js';
import { ConversationCountsRepository } from './conversation-counts.repository.js';
import { mayUndoResolve } from './lifecycle.js';
import { TimelineHooks } from './timeline-hooks.js';

const CONTACT_PAGE = 100;
const MIN_SNOOZE_MS = 60_000;
const MAX_SNOOZE_MS = 366 * 24 * 60 * MIN_SNOOZE_MS;

export interface ConversationEdits {
  subject?: string | null | undefined;
  priority?: Priority | undefined;
  tags?: string[] | undefined;
  custom_attributes?: Record<string, unknown> | undefined;
}

@Injectable()
export class ConversationsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly conversations: ConversationsRepository,
    private readonly scopes: ConversationScopesRepository,
    private readonly inbox: InboxRepository,
    private readonly countsRepository: ConversationCountsRepository,
    private readonly changes: ConversationChangesService,
    private readonly members: MembersService,
    private readonly channels: ChannelsService,
    private readonly timelineHooks: TimelineHooks,
    private readonly clock: Clock,
  ) {}

  list(principal: StaffPrincipal, query: InboxQuery): Promise<Page<ConversationWithContact>> {
    return this.inbox.findPage(principal, query);
  }

  listForVisitor(principal: VisitorPrincipal, page: PageRequest): Promise<Page<Conversation>> {
    return this.inbox.findVisitorPage(principal, page);
  }

  getCounts(principal: StaffPrincipal): Promise<ConversationCounts> {
    return this.countsRepository.getCounts(principal);
  }

  /** Finds the conversation if the caller may see it. */
  find(principal: Principal, id: string): Promise<Conversation | null> {
    return this.conversations.findVisible(principal, id);
  }

  /** Finds the scope if the caller may see the conversation. Batched: do not call it within a unit of work. */
  findScope(principal: Principal, id: string): Promise<ConversationScope | null> {
    return this.scopes.find(principal, id);
  }

  /** Ids of all conversations of the visitor on its channel. */
  findVisibleIds(principal: VisitorPrincipal): Promise<string[]> {
    return this.conversations.findVisibleIds(principal);
  }

  /** Assignees of the visitor's unresolved conversations. @param id only this conversation; null for all */
  findAssigneeIds(principal: VisitorPrincipal, id: string | null): Promise<string[]> {
    return this.scopes.findAssigneeIds(principal, id);
  }

  /** All conversations of the contact, oldest first, in pages. */
  async *listByContact({ workspaceId, id }: Contact): AsyncGenerator<Conversation[]> {
    for (let after: string | null | undefined = null; after !== undefined;) {
      const page = await this.conversations.findPageByContact(workspaceId, id, after, CONTACT_PAGE);
      yield page;
      after = page.length < CONTACT_PAGE ? undefined : page.at(-1)?.id;
    }
  }

  /** @throws NotFound */
  async get(principal: Principal, id: string): Promise<Conversation> {
    const conversation = await this.find(principal, id);
    if (!conversation) throw new NotFound();
    return conversation;
  }

  /** Locks the conversation until the unit of work ends. @throws NotFound */
  async lock(principal: Principal, id: string): Promise<Conversation> {
    const conversation = await this.conversations.lockVisible(principal, id);
    if (!conversation) throw new NotFound();
    return conversation;
  }

  /** Locks the conversation until the unit of work ends. @returns null if another transaction has locked it */
  tryLock(principal: Principal, id: string): Promise<Conversation | null> {
    return this.conversations.tryLockVisible(principal, id);
  }

  /** @throws VersionConflict */
  update(principal: StaffPrincipal, id: string, edits: ConversationEdits, expected?: number): Promise<Conversation> {
    const { subject, priority, tags, custom_attributes: customAttributes } = edits;
    const columns = Object.fromEntries(
      Object.entries({ subject, priority, tags: tags && [...new Set(tags)], customAttributes }).filter(
        ([, value]) => value !== undefined,
      ),
    ) as Partial<Conversation>;
    return this.change(principal, id, expected, conversation =>
      this.changes.apply(conversation, { columns, timeline: null }, actorOf(principal)),
    );
  }

  /**
   * Assigns the conversation to a member, or unassigns it.
   * @throws AssigneeUnavailable, VersionConflict @throws ValidationFailed for an unknown member
   */
  assign(principal: StaffPrincipal, id: string, memberId: string | null, expected?: number): Promise<Conversation> {
    return this.units.run(
      async () => {
        const member = memberId === null ? null : await this.members.lockForShare(principal, memberId);
        return this.change(principal, id, expected, async conversation => {
          if (memberId !== null && !member) throw unknownId('member_id');
          if (member && !canServe(member, conversation.channelId)) throw new AssigneeUnavailable();
          const timeline = { event: member ? 'assigned' : 'unassigned', public: false } as const;
          await this.changes.apply(conversation, { columns: { assigneeId: memberId }, timeline }, actorOf(principal));
        });
      },
      { row: id },
    );
  }

  /**
   * Assigns the conversation to the caller, and takes it over from a bot.
   * @throws AssigneeUnavailable, VersionConflict @throws InvalidTransition if it is resolved
   */
  take(principal: AgentPrincipal, id: string, expected?: number): Promise<Conversation> {
    return this.units.run(
      async () => {
        const member = await this.members.lockForShare(principal, principal.memberId);
        return this.change(principal, id, expected, async conversation => {
          if (!canServe(member, conversation.channelId)) throw new AssigneeUnavailable();
          const actor = actorOf(principal);
          await this.changes.trigger(conversation, 'take', actor);
          const timeline = { event: 'assigned', public: false } as const;
          await this.changes.apply(conversation, { columns: { assigneeId: principal.memberId }, timeline }, actor);
        });
      },
      { row: id },
    );
  }

  /** @throws InvalidTransition, VersionConflict */
  resolve(principal: StaffPrincipal, id: string, expected?: number): Promise<Conversation> {
    return this.change(principal, id, expected, conversation =>
      this.changes.trigger(conversation, 'resolve', actorOf(principal)),
    );
  }

  /** @param until null until the contact writes @throws SnoozeInPast, InvalidTransition, VersionConflict */
  snooze(principal: StaffPrincipal, id: string, until: Date | null, expected?: number): Promise<Conversation> {
    if (until !== null) this.assertSnoozable(until);
    return this.change(principal, id, expected, conversation =>
      this.changes.trigger(conversation, 'snooze', actorOf(principal), { until }),
    );
  }

  /** Gives the conversation back to the other agents, or takes it from the bot. @throws InvalidTransition, VersionConflict */
  handOff(
    principal: StaffPrincipal,
    id: string,
    { reason, summary }: { reason?: string | undefined; summary?: string | undefined },
    expected?: number,
  ): Promise<Conversation> {
    return this.change(principal, id, expected, conversation =>
      this.changes.trigger(conversation, 'handoff', actorOf(principal), { reason, summary }),
    );
  }

  /**
   * Reopens a resolved conversation. If the caller has resolved it within half a minute and nothing has happened since,
   * the resolve is taken back: the state before it returns, and its timeline entry is unsent.
   * @throws InvalidTransition, ConversationExists, VersionConflict
   */
  reopen(principal: StaffPrincipal, id: string, expected?: number): Promise<Conversation> {
    return this.change(principal, id, expected, async conversation => {
      const actor = actorOf(principal);
      if (
        mayUndoResolve(conversation, actor, this.clock.now()) &&
        (await this.timelineHooks.timeline.withdrawResolve(conversation, actor))
      ) {
        return this.changes.trigger(conversation, 'undo_resolve', actor);
      }
      return this.changes.trigger(conversation, 'reopen', actor);
    });
  }

  /** Resolves a visitor's own conversation. Does nothing if it is resolved. @throws FeatureDisabled */
  async close(principal: VisitorPrincipal, id: string): Promise<Conversation> {
    const channel = await this.channels.find(principal.workspaceId, principal.channelId);
    return this.change(principal, id, undefined, async conversation => {
      if (!channel?.widgetConfig.features.end_chat) throw new FeatureDisabled();
      if (conversation.status !== 'resolved') await this.changes.trigger(conversation, 'close', actorOf(principal));
    });
  }

  private assertSnoozable(until: Date): void {
    const ahead = until.getTime() - this.clock.now().getTime();
    if (ahead < MIN_SNOOZE_MS || ahead > MAX_SNOOZE_MS) throw new SnoozeInPast();
  }

  private change(
    principal: Principal,
    id: string,
    expected: number | undefined,
    edit: (conversation: Conversation) => Promise<void>,
  ): Promise<Conversation> {
    return this.units.run(
      async () => {
        const conversation = await this.lock(principal, id);
        if (conversation.erasedAt) throw new ConversationErased();
        this.changes.assertVersion(conversation, expected);
        await edit(conversation);
        return conversation;
      },
      { row: id },
    );
  }
}
