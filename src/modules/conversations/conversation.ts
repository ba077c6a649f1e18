import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { Actor, EventScope } from '../../kernel/domain-event.js';
import type { ScrubFields } from '../../kernel/scrub.js';
import { personal } from '../../kernel/scrub.js';
import type { PreChatRecord, VisitedPage } from '../channels/index.js';

export const STATUSES = ['pending', 'open', 'snoozed', 'resolved'] as const;
export const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const;
export const SENDER_TYPES = ['agent', 'contact', 'bot'] as const;
export type Status = (typeof STATUSES)[number];
export type Priority = (typeof PRIORITIES)[number];
export type Control = 'bot' | 'human';
export type SenderType = (typeof SENDER_TYPES)[number];

/** The last message as lists show it. */
export interface LastMessage {
  id: string;
  preview: string;
  sender_type: SenderType;
  created_at: string;
}

export interface Rating {
  score: number;
  comment: string | null;
  rated_at: string;
}

/** Note by the bot or agent who handed the conversation off, for the next one. */
export interface Handoff {
  reason: string | null;
  summary: string | null;
  at: string;
}

/** Where and with what a visitor started the conversation. */
export interface ConversationContext {
  page: VisitedPage | null;
  locale: string | null;
  timezone: string | null;
  browser: string | null;
  os: string | null;
  device: string | null;
}

/** The state before a resolve, so that it can be taken back. */
export interface BeforeResolve {
  status: Status;
  control: Control;
  assignee_id: string | null;
  snoozed_until: string | null;
  waiting_since: string | null;
}

/** A conversation with one contact on one channel. */
export interface Conversation {
  id: string;
  workspaceId: string;
  /** Sequential number in the workspace, shown to people. */
  number: number;
  channelId: string;
  contactId: string;
  status: Status;
  priority: Priority;
  assigneeId: string | null;
  botId: string | null;
  control: Control;
  /** Copy of the channel's `single_conversation` at the start: at most one such unresolved conversation per contact. */
  single: boolean;
  subject: string | null;
  /** Tags as stored. One may have been merged or deleted since. */
  tagIds: string[];
  /** Names of the tags. */
  tags: string[];
  customAttributes: Record<string, unknown>;
  snoozedUntil: Date | null;
  /** Since when the contact waits for an answer; null if it does not. */
  waitingSince: Date | null;
  /** The first public message of a person after the contact's first one. Bots do not count. */
  firstResponseAt: Date | null;
  /** True while the contact has written and no person has answered yet. */
  firstResponseDue: boolean;
  /** True from when it is opened or reopened until the contact's first message after that. */
  contactDue: boolean;
  lastMessage: LastMessage | null;
  lastPublicMessage: LastMessage | null;
  lastActivityAt: Date;
  lastSeq: number;
  lastPublicSeq: number;
  unreadAgents: number;
  unreadContact: number;
  agentLastReadSeq: number;
  contactLastReadSeq: number;
  resolvedAt: Date | null;
  resolvedBy: Actor | null;
  /** Null unless it is resolved. */
  beforeResolve: BeforeResolve | null;
  reopenedCount: number;
  previousConversationId: string | null;
  csat: Rating | null;
  /** The member that the rating counts for; null if no member served the contact. */
  csatMemberId: string | null;
  /** Null if an agent started it. */
  context: ConversationContext | null;
  /** Answers to the pre-chat form, without the contact's own details. */
  preChat: PreChatRecord | null;
  /** The last handoff. */
  handoff: Handoff | null;
  /** When its contact was erased, with the content. After that it serves statistics only. */
  erasedAt: Date | null;
  /** Incremented by every change except messages. Compared with `expected_version`. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** True while a bot, or the given one, answers the contact. */
export function isControlledByBot({ status, control, botId }: Conversation, id: string | null = botId): boolean {
  return status === 'pending' && control === 'bot' && botId !== null && botId === id;
}

/** Fields that decide who receives the conversation's events. */
export type ConversationScope = Pick<Conversation, 'id' | 'workspaceId' | 'channelId' | 'contactId' | 'assigneeId'>;

/** The records that the conversation's events belong to. */
export function eventScopeOf({ workspaceId, channelId, id, contactId }: Conversation): Required<EventScope> & {
  conversationId: string;
} {
  return { workspaceId, channelId, conversationId: id, contactId };
}

/**
 * The member who answers for a resolved conversation: the assignee at the resolve, else who resolved it; null if that was
 * no member.
 */
export function accountableMemberOf({ beforeResolve, assigneeId, resolvedBy }: Conversation): string | null {
  const assignee = beforeResolve ? beforeResolve.assignee_id : assigneeId;
  return assignee ?? (resolvedBy?.type === 'member' ? resolvedBy.id : null);
}

export interface ConversationRecord {
  id: string;
  number: number;
  workspace_id: string;
  channel_id: string;
  contact_id: string;
  status: Status;
  priority: Priority;
  assignee_id: string | null;
  bot_id: string | null;
  control: Control;
  subject: string | null;
  tags: string[];
  custom_attributes: Record<string, unknown>;
  snoozed_until: string | null;
  waiting_since: string | null;
  first_response_at: string | null;
  last_message: LastMessage | null;
  last_activity_at: string;
  last_seq: number;
  unread: Unread;
  agent_last_read_seq: number;
  contact_last_read_seq: number;
  resolved_at: string | null;
  resolved_by: Actor | null;
  reopened_count: number;
  previous_conversation_id: string | null;
  csat: Rating | null;
  context: ConversationContext | null;
  pre_chat: PreChatRecord | null;
  handoff: Handoff | null;
  version: number;
  created_at: string;
  updated_at: string;
}

/** The scrubbing of each field. */
export const CONVERSATION_FIELDS: ScrubFields<ConversationRecord> = {
  id: 'kept',
  number: 'kept',
  workspace_id: 'kept',
  channel_id: 'kept',
  contact_id: 'kept',
  status: 'kept',
  priority: 'kept',
  assignee_id: 'kept',
  bot_id: 'kept',
  control: 'kept',
  subject: personal(null),
  tags: 'kept',
  custom_attributes: personal({}),
  snoozed_until: 'kept',
  waiting_since: 'kept',
  first_response_at: 'kept',
  last_message: personal(null),
  last_activity_at: 'kept',
  last_seq: 'kept',
  unread: 'kept',
  agent_last_read_seq: 'kept',
  contact_last_read_seq: 'kept',
  resolved_at: 'kept',
  resolved_by: 'kept',
  reopened_count: 'kept',
  previous_conversation_id: 'kept',
  csat: personal(null),
  context: personal(null),
  pre_chat: personal(null),
  handoff: personal(null),
  version: 'kept',
  created_at: 'kept',
  updated_at: 'kept',
};

export interface Unread {
  agents: number;
  contact: number;
}

export function unreadOf(conversation: Conversation): Unread {
  return { agents: conversation.unreadAgents, contact: conversation.unreadContact };
}

export function toConversationRecord(conversation: Conversation): ConversationRecord {
  return {
    id: conversation.id,
    number: conversation.number,
    workspace_id: conversation.workspaceId,
    channel_id: conversation.channelId,
    contact_id: conversation.contactId,
    status: conversation.status,
    priority: conversation.priority,
    assignee_id: conversation.assigneeId,
    bot_id: conversation.botId,
    control: conversation.control,
    subject: conversation.subject,
    tags: conversation.tags,
    custom_attributes: conversation.customAttributes,
    snoozed_until: toWireTimeOrNull(conversation.snoozedUntil),
    waiting_since: toWireTimeOrNull(conversation.waitingSince),
    first_response_at: toWireTimeOrNull(conversation.firstResponseAt),
    last_message: conversation.lastMessage,
    last_activity_at: toWireTime(conversation.lastActivityAt),
    last_seq: conversation.lastSeq,
    unread: unreadOf(conversation),
    agent_last_read_seq: conversation.agentLastReadSeq,
    contact_last_read_seq: conversation.contactLastReadSeq,
    resolved_at: toWireTimeOrNull(conversation.resolvedAt),
    resolved_by: conversation.resolvedBy,
    reopened_count: conversation.reopenedCount,
    previous_conversation_id: conversation.previousConversationId,
    csat: conversation.csat,
    context: conversation.context,
    pre_chat: conversation.preChat,
    handoff: conversation.handoff,
    version: conversation.version,
    created_at: toWireTime(conversation.createdAt),
    updated_at: toWireTime(conversation.updatedAt),
  };
}
