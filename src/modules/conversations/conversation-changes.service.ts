import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import { VersionConflict } from '../../kernel/errors.js';
import { systemOf } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { MemberDisplay } from '../members/index.js';
import { MembersService } from '../members/index.js';
import { TagsService } from '../tags/index.js';
import { canServe } from './assignee.js';
import type { ConversationChange } from './conversation-change-hooks.js';
import { ConversationChangeHooks } from './conversation-change-hooks.js';
import { difference, toAssigneeChange } from './conversation-difference.js';
import type { Conversation } from './conversation.js';
import { accountableMemberOf, eventScopeOf, toConversationRecord } from './conversation.js';
import { InvalidTransition } from './conversations.errors.js';
import { ConversationsRepository } from './conversations.repository.js';
import type { Circumstances, Effects, Trigger } from './lifecycle.js';
import { TARGET_STATUS, transition } from './lifecycle.js';
import { keepSingleConversation } from './single-conversation.js';
import { ConversationCountsRepository } from './conversation-counts.repository.js';
import { ConversationFacetsRepository } from './conversation-facets.repository.js';
import { tagCountChanges } from './tag-counts.js';
import { TimelineHooks } from './timeline-hooks.js';

/** Columns that messages change. */
export type ProgressColumns = Partial<
  Pick<
    Conversation,
    | 'lastSeq'
    | 'lastPublicSeq'
    | 'lastActivityAt'
    | 'lastMessage'
    | 'lastPublicMessage'
    | 'unreadAgents'
    | 'unreadContact'
    | 'waitingSince'
    | 'firstResponseAt'
    | 'firstResponseDue'
    | 'contactDue'
    | 'agentLastReadSeq'
    | 'updatedAt'
  >
>;

/** How far the contact or the agents have read. */
export interface ReadMark {
  reader: 'contact' | 'agents';
  seq: number;
  /** The last public message among those now read; null if there is none. */
  publicSeq: number | null;
  /** Number of messages that stay unread. */
  unread: number;
}

interface PlannedChange {
  conversation: Conversation;
  effects: Effects;
}

/** Writes changes of a conversation that the caller has locked: columns, event, timeline entry and counts. */
@Injectable()
export class ConversationChangesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly conversations: ConversationsRepository,
    private readonly facets: ConversationFacetsRepository,
    private readonly counts: ConversationCountsRepository,
    private readonly tags: TagsService,
    private readonly members: MembersService,
    private readonly timelineHooks: TimelineHooks,
    private readonly hooks: ConversationChangeHooks,
    private readonly clock: Clock,
  ) {}

  /** @throws ConversationExists @throws InvalidTransition if the lifecycle has no such transition */
  async trigger(
    conversation: Conversation,
    trigger: Trigger,
    actor: Actor,
    circumstances: Omit<Circumstances, 'now' | 'actor'> = {},
  ): Promise<void> {
    const effects = transition(conversation, trigger, { ...circumstances, now: this.clock.now(), actor });
    if (!effects) throw new InvalidTransition({ data: { from: conversation.status, to: TARGET_STATUS[trigger] } });
    const after = { ...conversation, ...effects.columns };
    const unassigned = conversation.status === 'resolved' ? await this.unassignIfUnavailable(after) : {};
    await this.apply(conversation, { ...effects, columns: { ...effects.columns, ...unassigned } }, actor);
  }

  /** Does nothing if no field changes. @throws ConversationExists */
  async apply(conversation: Conversation, effects: Effects, actor: Actor): Promise<void> {
    await this.applyAll([conversation], effects, actor);
  }

  /** Like `apply`, for several conversations of one workspace, which the caller has locked in the order of their ids. */
  async applyAll(conversations: readonly Conversation[], effects: Effects, actor: Actor): Promise<void> {
    const planned = conversations.map(conversation => ({ conversation, effects }));
    await this.applyPlanned(planned, actor);
  }

  /**
   * Triggers a transition of each conversation by its own state, under the locks that `applyAll` needs. Leaves those
   * alone whose state has no such transition.
   * @param columns written besides
   */
  async triggerAll(
    conversations: readonly Conversation[],
    trigger: Trigger,
    actor: Actor,
    circumstances: Omit<Circumstances, 'now' | 'actor'> = {},
    columns: Partial<Conversation> = {},
  ): Promise<void> {
    const now = this.clock.now();
    const planned = conversations.flatMap(conversation => {
      const effects = transition(conversation, trigger, { ...circumstances, now, actor });
      return effects ? [{ conversation, effects: { ...effects, columns: { ...effects.columns, ...columns } } }] : [];
    });
    await this.applyPlanned(planned, actor);
  }

  /** Writes counts once at the end: their rows are contended, and one write per change would lock them in no order. */
  private async applyPlanned(planned: readonly PlannedChange[], actor: Actor): Promise<void> {
    const [first] = planned;
    if (!first) return;
    const displays = await this.findDisplays(planned);
    const changes: ConversationChange[] = [];
    for (const { conversation, effects } of planned) {
      const from = { ...conversation };
      if (await this.change(conversation, effects, actor, displays)) changes.push({ from, to: conversation });
    }
    if (changes.length === 0) return;
    await this.hooks.run(changes, actor);
    const { workspaceId } = first.conversation;
    await this.facets.move(workspaceId, changes);
    await this.counts.moveCounts(workspaceId, changes);
    await this.tags.moveCounts(workspaceId, tagCountChanges(changes));
  }

  /** Writes what a message changes. The event of the message carries it, so it counts no version. */
  async applyProgress(conversation: Conversation, columns: ProgressColumns): Promise<void> {
    await this.conversations.update(conversation, columns);
    Object.assign(conversation, columns);
  }

  /** Writes how far the contact or the agents have read, and its event. */
  async markRead(conversation: Conversation, mark: ReadMark, actor: Actor): Promise<void> {
    const { reader, seq, publicSeq, unread } = mark;
    const columns: Partial<Conversation> =
      reader === 'contact'
        ? { contactLastReadSeq: seq, unreadContact: unread }
        : { agentLastReadSeq: seq, unreadAgents: unread };
    await this.conversations.update(conversation, columns);
    Object.assign(conversation, columns);
    await this.events.record({
      type: 'conversation.read',
      ...eventScopeOf(conversation),
      actor,
      payload: { id: conversation.id, reader, last_read_seq: seq, last_public_read_seq: publicSeq },
    });
  }

  /** @returns false if no field changes */
  private async change(
    conversation: Conversation,
    { columns, timeline }: Effects,
    actor: Actor,
    displays: Map<string, MemberDisplay>,
  ): Promise<boolean> {
    const before = { ...conversation };
    const after = { ...conversation, ...columns };
    const changes = difference(toConversationRecord(before), toConversationRecord(after));
    if (Object.keys(changes).length === 0) return false;
    const written = { ...columns, version: conversation.version + 1, updatedAt: this.clock.now() };
    await this.write(conversation, written);
    Object.assign(conversation, written);
    await this.events.record({
      type: 'conversation.updated',
      ...eventScopeOf(conversation),
      actor,
      payload: {
        id: conversation.id,
        changes,
        version: conversation.version,
        actor,
        assignee: 'assignee_id' in changes ? toAssigneeChange(before, conversation, displays) : null,
      },
    });
    if (timeline) {
      const memberId =
        before.status === 'resolved' ? accountableMemberOf(before) : (before.assigneeId ?? memberOf(actor));
      await this.timelineHooks.timeline.append(conversation, timeline, actor, memberId);
    }
    return true;
  }

  /** @throws VersionConflict if the caller knew an older version */
  assertVersion(conversation: Conversation, expected: number | undefined): void {
    if (expected !== undefined && expected !== conversation.version) {
      throw new VersionConflict({ data: { version: conversation.version } });
    }
  }

  /**
   * Unassigns a reopened conversation if its assignee is no longer available. Also if the assignee is being changed at
   * this moment: waiting for that could deadlock with a deactivation.
   */
  private async unassignIfUnavailable({
    workspaceId,
    channelId,
    assigneeId,
  }: Conversation): Promise<Partial<Conversation>> {
    if (assigneeId === null) return {};
    const member = await this.members.tryLockForShare(systemOf(workspaceId), assigneeId);
    return canServe(member, channelId) ? {} : { assigneeId: null };
  }

  /** Finds how visitors see the previous and next assignees, in one query for all conversations. */
  private async findDisplays(planned: readonly PlannedChange[]): Promise<Map<string, MemberDisplay>> {
    const moving = planned.filter(({ effects }) => effects.columns.assigneeId !== undefined);
    const [first] = moving;
    if (!first) return new Map();
    const ids = moving.flatMap(({ conversation, effects }) => [conversation.assigneeId, effects.columns.assigneeId]);
    return this.members.findDisplays(
      first.conversation.workspaceId,
      ids.filter(id => typeof id === 'string'),
    );
  }

  /**
   * Reopening can violate the unique index on unresolved conversations, so it runs in a savepoint.
   * @throws ConversationExists
   */
  private async write(conversation: Conversation, columns: Partial<Conversation>): Promise<void> {
    const reopens = conversation.status === 'resolved' && columns.status !== undefined;
    if (!reopens) return this.conversations.update(conversation, columns);
    return keepSingleConversation(this.conversations, conversation, () =>
      this.units.savepoint(() => this.conversations.update(conversation, columns)),
    );
  }
}

function memberOf({ type, id }: Actor): string | null {
  return type === 'member' ? id : null;
}
