import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Actor } from '../../kernel/domain-event.js';
import {
  IdColumn,
  JsonColumn,
  KeyColumn,
  TextColumn,
  TimeColumn,
  WrittenAtColumn,
} from '../../platform/database/columns.js';
import type { PreChatRecord } from '../channels/index.js';
import type {
  BeforeResolve,
  Control,
  Conversation,
  ConversationContext,
  Handoff,
  LastMessage,
  Priority,
  Rating,
  Status,
} from './conversation.js';

const ROW_KEY: [string, string] = ['workspaceId', 'id'];

@Entity({ name: 'conversation' })
@Unique('uq_conversation_number', ['workspaceId', 'number'])
@Index('uq_conversation_unresolved', ['workspaceId', 'channelId', 'contactId'], {
  unique: true,
  where: `"single" AND "status" <> 'resolved'`,
})
@Index('ix_conversation_activity', ['workspaceId', 'activityPeriod'])
@Index('ix_conversation_channel', ['workspaceId', 'channelId', 'status', 'activityPeriod'])
@Index('ix_conversation_assignee', ['workspaceId', 'assigneeId', 'activityPeriod'])
@Index('ix_conversation_contact', ['workspaceId', 'contactId', 'id'])
@Index('ix_conversation_bot', ['workspaceId', 'botId'], { where: `"status" = 'pending'` })
@Index('ix_conversation_snoozed', ['snoozedUntil'], {
  where: `"status" = 'snoozed' AND "snoozed_until" IS NOT NULL`,
})
@Index('ix_conversation_waiting', ['workspaceId', 'waitingSince', 'id'], { where: `"waiting_since" IS NOT NULL` })
@Check('ck_conversation_status', `"status" IN ('pending', 'open', 'snoozed', 'resolved')`)
@Check('ck_conversation_priority', `"priority" IN ('none', 'low', 'medium', 'high', 'urgent')`)
@ForeignKey('channel', ['workspaceId', 'channelId'], ROW_KEY, { name: 'fk_conversation_channel' })
@ForeignKey('contact', ['workspaceId', 'contactId'], ROW_KEY, { name: 'fk_conversation_contact' })
@ForeignKey('member', ['workspaceId', 'assigneeId'], ROW_KEY, { name: 'fk_conversation_assignee' })
@ForeignKey('member', ['workspaceId', 'csatMemberId'], ROW_KEY, { name: 'fk_conversation_csat_member' })
@ForeignKey('bot', ['workspaceId', 'botId'], ROW_KEY, { name: 'fk_conversation_bot' })
@ForeignKey('conversation', ['workspaceId', 'previousConversationId'], ROW_KEY, { name: 'fk_conversation_previous' })
/** Without the names of the tags: the repository adds them. */
export class ConversationEntity implements Omit<Conversation, 'tags'> {
  @KeyColumn('workspace_id', 'pk_conversation')
  workspaceId!: string;

  @KeyColumn('id', 'pk_conversation')
  id!: string;

  @Column({ name: 'number', type: 'integer' })
  number!: number;

  @IdColumn('channel_id')
  channelId!: string;

  @IdColumn('contact_id')
  contactId!: string;

  @TextColumn('status')
  status!: Status;

  @TextColumn('priority', { default: 'none' })
  priority!: Priority;

  @IdColumn('assignee_id', { nullable: true })
  assigneeId!: string | null;

  @IdColumn('bot_id', { nullable: true })
  botId!: string | null;

  @TextColumn('control', { default: 'human' })
  control!: Control;

  @Column({ name: 'single', type: 'boolean' })
  single!: boolean;

  @TextColumn('subject', { nullable: true })
  subject!: string | null;

  @IdColumn('tag_ids', { array: true, default: [] })
  tagIds!: string[];

  /** Names of tags. Only instances of the version before tags became rows read and write it. */
  @TextColumn('tags', { array: true, default: [], select: false, insert: false, update: false })
  readonly tagNames?: never;

  @JsonColumn('custom_attributes', { default: {} })
  customAttributes!: Record<string, unknown>;

  @TimeColumn('snoozed_until', { nullable: true })
  snoozedUntil!: Date | null;

  @TimeColumn('waiting_since', { nullable: true })
  waitingSince!: Date | null;

  @TimeColumn('first_response_at', { nullable: true })
  firstResponseAt!: Date | null;

  @Column({ name: 'first_response_due', type: 'boolean', default: false })
  firstResponseDue!: boolean;

  @Column({ name: 'contact_due', type: 'boolean', default: false })
  contactDue!: boolean;

  @JsonColumn('last_message', { nullable: true })
  lastMessage!: LastMessage | null;

  @JsonColumn('last_public_message', { nullable: true })
  lastPublicMessage!: LastMessage | null;

  @TimeColumn('last_activity_at')
  lastActivityAt!: Date;

  /** Begin of the five seconds of the last activity, kept by a trigger. An index on the exact time changes with each message. */
  @TimeColumn('activity_period', { select: false, insert: false, update: false })
  readonly activityPeriod?: never;

  @Column({ name: 'last_seq', type: 'integer', default: 0 })
  lastSeq!: number;

  @Column({ name: 'last_public_seq', type: 'integer', default: 0 })
  lastPublicSeq!: number;

  @Column({ name: 'unread_agents', type: 'integer', default: 0 })
  unreadAgents!: number;

  @Column({ name: 'unread_contact', type: 'integer', default: 0 })
  unreadContact!: number;

  @Column({ name: 'agent_last_read_seq', type: 'integer', default: 0 })
  agentLastReadSeq!: number;

  @Column({ name: 'contact_last_read_seq', type: 'integer', default: 0 })
  contactLastReadSeq!: number;

  @TimeColumn('resolved_at', { nullable: true })
  resolvedAt!: Date | null;

  @JsonColumn('resolved_by', { nullable: true })
  resolvedBy!: Actor | null;

  @JsonColumn('before_resolve', { nullable: true })
  beforeResolve!: BeforeResolve | null;

  @Column({ name: 'reopened_count', type: 'integer', default: 0 })
  reopenedCount!: number;

  @IdColumn('previous_conversation_id', { nullable: true })
  previousConversationId!: string | null;

  @JsonColumn('csat', { nullable: true })
  csat!: Rating | null;

  @IdColumn('csat_member_id', { nullable: true })
  csatMemberId!: string | null;
  @JsonColumn('context', { nullable: true })
  context!: ConversationContext | null;

  @JsonColumn('pre_chat', { nullable: true })
  preChat!: PreChatRecord | null;

  @JsonColumn('handoff', { nullable: true })
  handoff!: Handoff | null;

  @TimeColumn('erased_at', { nullable: true })
  erasedAt!: Date | null;

  @Column({ name: 'version', type: 'integer', default: 1 })
  version!: number;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}

/**
 * A property by which the inbox finds a conversation: `priority:high`, `csat:5`, `tag:ID`, `participant:ID`,
 * `mentioned:ID`, `unread`. The table exists because an index on conversations gains an entry with each message.
 */
@Entity({ name: 'conversation_facet' })
@Index('ix_conversation_facet_activity', ['workspaceId', 'facet', 'activeAt', 'conversationId'])
@Index('ix_conversation_facet_conversation', ['workspaceId', 'conversationId'])
export class ConversationFacetEntity {
  @KeyColumn('workspace_id', 'pk_conversation_facet')
  workspaceId!: string;

  @PrimaryColumn({ name: 'facet', type: 'text', primaryKeyConstraintName: 'pk_conversation_facet' })
  facet!: string;

  @KeyColumn('conversation_id', 'pk_conversation_facet')
  conversationId!: string;

  /** The conversation's `last_activity_at`, at most two seconds late. Lists are read in its order. */
  @TimeColumn('active_at')
  activeAt!: Date;
}

/** The last conversation number of a workspace, in its own row, so that numbering locks nothing else. */
@Entity({ name: 'conversation_counter' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_conversation_counter_workspace', onDelete: 'CASCADE' })
export class ConversationCounterEntity {
  @KeyColumn('workspace_id', 'pk_conversation_counter')
  workspaceId!: string;

  @Column({ name: 'last_number', type: 'integer' })
  lastNumber!: number;
}

/**
 * Number of unresolved conversations by channel, status and assignee, updated with each change: counting a million rows
 * is slow.
 */
@Entity({ name: 'conversation_tally' })
export class ConversationCountsEntity {
  @KeyColumn('workspace_id', 'pk_conversation_tally')
  workspaceId!: string;

  @KeyColumn('channel_id', 'pk_conversation_tally')
  channelId!: string;

  @PrimaryColumn({ name: 'status', type: 'text', primaryKeyConstraintName: 'pk_conversation_tally' })
  status!: Status;

  /** All zeros if unassigned, because a key column cannot be null. */
  @KeyColumn('assignee_id', 'pk_conversation_tally')
  assigneeId!: string;

  @Column({ name: 'count', type: 'integer' })
  count!: number;
}
