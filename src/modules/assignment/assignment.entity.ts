import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { IdColumn, KeyColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';

const ROW_KEY: [string, string] = ['workspaceId', 'id'];

/**
 * A conversation that waits for an assignee. It exists exactly while the conversation is open, people are in control,
 * the channel assigns automatically and nobody is assigned. One with an assignee asks only whether another member is
 * free while that one is not, and lasts two seconds.
 */
@Entity({ name: 'assignment_request' })
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ROW_KEY, { name: 'fk_assignment_request_conversation' })
@Index('ix_assignment_request_order', ['workspaceId', 'channelId', 'priorityRank', 'waitingSince', 'conversationId'])
@Index('ix_assignment_request_requested_at', ['requestedAt'])
@Index('ix_assignment_request_kept', ['requestedAt'], { where: `"assignee_id" IS NOT NULL` })
export class AssignmentRequestEntity {
  @KeyColumn('workspace_id', 'pk_assignment_request')
  workspaceId!: string;

  @KeyColumn('conversation_id', 'pk_assignment_request')
  conversationId!: string;

  @IdColumn('channel_id')
  channelId!: string;

  /** 0 for the highest priority. */
  @Column({ name: 'priority_rank', type: 'smallint' })
  priorityRank!: number;

  /** The conversation's value at its last change other than a message. */
  @TimeColumn('waiting_since', { nullable: true })
  waitingSince!: Date | null;

  /** The assignee of a reopened or woken conversation, who keeps it unless another is free. */
  @IdColumn('assignee_id', { nullable: true })
  assigneeId!: string | null;

  /** The member who handed it off. */
  @IdColumn('excluded_member_id', { nullable: true })
  excludedMemberId!: string | null;

  @WrittenAtColumn('requested_at')
  requestedAt!: Date;
}

/** Number of open conversations that are assigned to a member. */
@Entity({ name: 'member_load' })
@ForeignKey('member', ['workspaceId', 'memberId'], ROW_KEY, { name: 'fk_member_load_member' })
export class MemberLoadEntity {
  @KeyColumn('workspace_id', 'pk_member_load')
  workspaceId!: string;

  @KeyColumn('member_id', 'pk_member_load')
  memberId!: string;

  @Column({ name: 'open_count', type: 'integer' })
  openCount!: number;
}

/** When a member was last assigned a conversation of a channel. */
@Entity({ name: 'assignment_turn' })
@ForeignKey('channel', ['workspaceId', 'channelId'], ROW_KEY, { name: 'fk_assignment_turn_channel' })
@ForeignKey('member', ['workspaceId', 'memberId'], ROW_KEY, { name: 'fk_assignment_turn_member' })
export class AssignmentTurnEntity {
  @KeyColumn('workspace_id', 'pk_assignment_turn')
  workspaceId!: string;

  @KeyColumn('channel_id', 'pk_assignment_turn')
  channelId!: string;

  @KeyColumn('member_id', 'pk_assignment_turn')
  memberId!: string;

  @TimeColumn('assigned_at')
  assignedAt!: Date;
}

/** An open conversation with an assignee, in a channel with `reassign_after_minutes`. */
@Entity({ name: 'assignee_watch' })
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ROW_KEY, { name: 'fk_assignee_watch_conversation' })
@Index('ix_assignee_watch_due', ['dueAt'])
export class AssigneeWatchEntity {
  @KeyColumn('workspace_id', 'pk_assignee_watch')
  workspaceId!: string;

  @KeyColumn('conversation_id', 'pk_assignee_watch')
  conversationId!: string;

  @TimeColumn('assigned_at')
  assignedAt!: Date;

  /** When to look whether the assignee has been offline for too long. */
  @TimeColumn('due_at')
  dueAt!: Date;
}
