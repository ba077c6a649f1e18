import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import type { AgentPrincipal, Principal, StaffPrincipal, VisitorPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ChannelsService, FeatureDisabled } from '../channels/index.js';
import { MembersService } from '../members/index.js';
import { TAG_LIMITS, tagKey, TagsService } from '../tags/index.js';
import { BotControlService } from './bot-control.service.js';
import { canServe } from './assignee.js';
import { ConversationChangesService } from './conversation-changes.service.js';
import type { Conversation, Priority } from './conversation.js';
import {
  AssigneeUnavailable,
  ConversationErased,
  SnoozeInPast,
  tooManyTags,
  unknownId,
} from './conversations.errors.js';
import { ConversationsService } from './conversations.service.js';
import { mayUndoResolve } from './lifecycle.js';
import { TimelineHooks } from './timeline-hooks.js';

const MIN_SNOOZE_MS = 60_000;
const MAX_SNOOZE_MS = 366 * 24 * 60 * MIN_SNOOZE_MS;

export interface ConversationEdits {
  subject?: string | null | undefined;
  priority?: Priority | undefined;
  tags?: string[] | undefined;
  custom_attributes?: Record<string, unknown> | undefined;
}

export interface HandoffRequest {
  reason?: string | undefined;
  summary?: string | undefined;
  /** The bot that an API key acts for. */
  bot_id?: string | undefined;
}

/** The changes that callers make to a conversation. Each locks it; erased ones are refused. */
@Injectable()
export class ConversationActionsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly conversations: ConversationsService,
    private readonly changes: ConversationChangesService,
    private readonly members: MembersService,
    private readonly tags: TagsService,
    private readonly channels: ChannelsService,
    private readonly timelineHooks: TimelineHooks,
    private readonly control: BotControlService,
    private readonly clock: Clock,
  ) {}

  /** @throws VersionConflict, LimitReached */
  update(principal: StaffPrincipal, id: string, edits: ConversationEdits, expected?: number): Promise<Conversation> {
    const { subject, priority, tags, custom_attributes: customAttributes } = edits;
    const given = Object.entries({ subject, priority, customAttributes }).filter(([, value]) => value !== undefined);
    return this.units.run(
      async () => {
        const adopted = tags && (await this.tags.adopt(principal.workspaceId, tags));
        const columns = { ...(Object.fromEntries(given) as Partial<Conversation>), ...adopted };
        return this.change(principal, id, expected, conversation =>
          this.changes.apply(conversation, { columns, timeline: null }, actorOf(principal)),
        );
      },
      { row: id },
    );
  }

  /** Adds a tag to the conversation. @throws LimitReached @throws ValidationFailed if it has 20 tags */
  tag(principal: StaffPrincipal, id: string, name: string): Promise<Conversation> {
    return this.units.run(
      async () => {
        const added = await this.tags.adopt(principal.workspaceId, [name]);
        return this.change(principal, id, undefined, async conversation => {
          const tags = [...new Set([...conversation.tags, ...added.tags])];
          if (tags.length === conversation.tags.length) return;
          if (tags.length > TAG_LIMITS.maxItems) throw tooManyTags();
          const columns = { tags, tagIds: [...conversation.tagIds, ...added.tagIds] };
          await this.changes.apply(conversation, { columns, timeline: null }, actorOf(principal));
        });
      },
      { row: id },
    );
  }

  /** Takes a tag off the conversation. Does nothing if it has no such tag. */
  untag(principal: StaffPrincipal, id: string, name: string): Promise<Conversation> {
    return this.change(principal, id, undefined, async conversation => {
      const removed = await this.tags.findIds(principal.workspaceId, [name]);
      const columns = {
        tags: conversation.tags.filter(tag => tagKey(tag) !== tagKey(name)),
        tagIds: conversation.tagIds.filter(tagId => !removed.includes(tagId)),
      };
      await this.changes.apply(conversation, { columns, timeline: null }, actorOf(principal));
    });
  }

  /**
   * Assigns the conversation to a member, also past its capacity, or unassigns it. A bot's conversation that gets an
   * assignee is taken over from the bot.
   * @throws AssigneeUnavailable, VersionConflict @throws ValidationFailed for an unknown member
   */
  assign(principal: StaffPrincipal, id: string, memberId: string | null, expected?: number): Promise<Conversation> {
    return this.units.run(
      async () => {
        const member = memberId === null ? null : await this.members.lockForShare(principal, memberId);
        return this.change(principal, id, expected, async conversation => {
          if (memberId !== null && !member) throw unknownId('member_id');
          if (member && !canServe(member, conversation.channelId)) throw new AssigneeUnavailable();
          const actor = actorOf(principal);
          if (member && conversation.status === 'pending') {
            return this.changes.trigger(conversation, 'take', actor, { assigneeId: memberId });
          }
          const timeline = { event: member ? 'assigned' : 'unassigned', public: false } as const;
          await this.changes.apply(conversation, { columns: { assigneeId: memberId }, timeline }, actor);
        });
      },
      { row: id },
    );
  }

  /**
   * Assigns the conversation to the caller, also past its capacity, and takes it over from a bot.
   * @throws AssigneeUnavailable, VersionConflict @throws InvalidTransition if it is resolved
   */
  take(principal: AgentPrincipal, id: string, expected?: number): Promise<Conversation> {
    return this.units.run(
      async () => {
        const member = await this.members.lockForShare(principal, principal.memberId);
        return this.change(principal, id, expected, async conversation => {
          if (!canServe(member, conversation.channelId)) throw new AssigneeUnavailable();
          const circumstances = { assigneeId: principal.memberId, reason: 'taken' };
          await this.changes.trigger(conversation, 'take', actorOf(principal), circumstances);
        });
      },
      { row: id },
    );
  }

  /** @param botId the bot that an API key acts for @throws InvalidTransition, VersionConflict, BotNotInControl */
  resolve(principal: StaffPrincipal, id: string, expected?: number, botId?: string): Promise<Conversation> {
    return this.change(principal, id, expected, async conversation => {
      const actor = await this.control.resolveActor(principal, conversation, botId);
      await this.changes.trigger(conversation, 'resolve', actor);
    });
  }

  /** @param until null until the contact writes @throws SnoozeInPast, InvalidTransition, VersionConflict */
  snooze(principal: StaffPrincipal, id: string, until: Date | null, expected?: number): Promise<Conversation> {
    if (until !== null) this.assertSnoozable(until);
    return this.change(principal, id, expected, conversation =>
      this.changes.trigger(conversation, 'snooze', actorOf(principal), { until }),
    );
  }

  /** Ends a snooze. @throws InvalidTransition if it is not snoozed @throws VersionConflict */
  wake(principal: StaffPrincipal, id: string, expected?: number): Promise<Conversation> {
    return this.change(principal, id, expected, conversation =>
      this.changes.trigger(conversation, 'wake', actorOf(principal)),
    );
  }

  /**
   * Gives the conversation back to the other agents, or takes it from the bot.
   * @throws InvalidTransition, VersionConflict, BotNotInControl
   */
  handOff(
    principal: StaffPrincipal,
    id: string,
    { reason, summary, bot_id }: HandoffRequest,
    expected?: number,
  ): Promise<Conversation> {
    return this.change(principal, id, expected, async conversation => {
      const actor = await this.control.resolveActor(principal, conversation, bot_id);
      await this.changes.trigger(conversation, 'handoff', actor, { reason, summary });
    });
  }

  /**
   * Reopens a resolved conversation. If the caller has resolved it within half a minute and nothing has happened since,
   * the resolve is taken back: the state before it returns, and its timeline entry is unsent. A bot that no longer serves
   * the channel gets no control back: people get the conversation.
   * @throws InvalidTransition, ConversationExists, VersionConflict
   */
  reopen(principal: StaffPrincipal, id: string, expected?: number): Promise<Conversation> {
    return this.change(principal, id, expected, async conversation => {
      const actor = actorOf(principal);
      if (
        mayUndoResolve(conversation, actor, this.clock.now()) &&
        (await this.timelineHooks.timeline.withdrawResolve(conversation, actor))
      ) {
        const detachment = await this.control.findDetachmentOf(conversation);
        return this.changes.trigger(conversation, 'undo_resolve', actor, { reason: detachment ?? undefined });
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
        const conversation = await this.conversations.lock(principal, id);
        if (conversation.erasedAt) throw new ConversationErased();
        this.changes.assertVersion(conversation, expected);
        await edit(conversation);
        return conversation;
      },
      { row: id },
    );
  }
}
