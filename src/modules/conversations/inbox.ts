import type { PageRequest } from '../../kernel/page.js';
import type { Priority, Status } from './conversation.js';

/** Sort orders: latest activity first, newest first, longest waiting first, or most urgent first. */
export const SORTS = ['last_activity', 'created', 'waiting', 'priority'] as const;
export type Sort = (typeof SORTS)[number];
export const ORDERS = ['asc', 'desc'] as const;
export type Order = (typeof ORDERS)[number];

/** Conditions on conversations. A list matches any of its values, an empty one none. */
export interface InboxFilters {
  statuses?: readonly Status[] | undefined;
  /** null stands for unassigned conversations. */
  assigneeIds?: readonly (string | null)[] | undefined;
  channelIds?: readonly string[] | undefined;
  contactId?: string | undefined;
  /** As conversations store them. */
  tagIds?: readonly string[] | undefined;
  priorities?: readonly Priority[] | undefined;
  /** A score, any score, or none. */
  csat?: string | undefined;
  unread?: boolean | undefined;
  /** The contact has waited since this time or longer. */
  waitingSince?: Date | undefined;
  query?: string | undefined;
  updatedSince?: Date | undefined;
  /** Only conversations in which this member takes part. */
  participantId?: string | undefined;
  /** Only conversations in which this member was mentioned. */
  mentionedId?: string | undefined;
  sort: Sort;
  /** Absent means the sort's own order. */
  order?: Order | undefined;
}

export type InboxQuery = InboxFilters & PageRequest;

/** Numbers of unresolved conversations that the caller can see. */
export interface ConversationCounts {
  mine: number;
  unassigned: number;
  open: number;
  pending: number;
  snoozed: number;
  /** Whose contact waits for an answer; counting stops at 100. */
  waiting: number;
}

export interface InboxCounts extends ConversationCounts {
  /** Conversations with a mention of the caller that it has not looked at; counting stops at 100. */
  mentioned_unread: number;
}
