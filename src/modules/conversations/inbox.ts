import type { PageRequest } from '../../kernel/page.js';
import type { Priority, Status } from './conversation.js';

/** Sort orders: latest activity first, newest first, or longest waiting first. */
export const SORTS = ['last_activity', 'created', 'waiting'] as const;
export type Sort = (typeof SORTS)[number];

export interface InboxQuery extends PageRequest {
  status?: Status | undefined;
  /** null matches unassigned conversations. */
  assigneeId?: string | null | undefined;
  channelId?: string | undefined;
  contactId?: string | undefined;
  tag?: string | undefined;
  priority?: Priority | undefined;
  query?: string | undefined;
  updatedSince?: Date | undefined;
  /** Only conversations in which this member takes part. */
  participantId?: string | undefined;
  /** Only conversations in which this member was mentioned. */
  mentionedId?: string | undefined;
  sort: Sort;
}

/** Numbers of unresolved conversations that the caller can see. */
export interface ConversationCounts {
  mine: number;
  unassigned: number;
  open: number;
  pending: number;
  snoozed: number;
}

export interface InboxCounts extends ConversationCounts {
  /** Conversations with a mention of the caller that it has not looked at; counting stops at 100. */
  mentioned_unread: number;
}
