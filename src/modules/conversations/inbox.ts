import type { PageRequest } from '../../kernel/page.js';
import type { Priority, Status } from './conversation.js';

/** The orders of a list: the newest activity first, the newest first, or whoever waits longest first. */
export const SORTS = ['last_activity', 'created', 'waiting'] as const;
export type Sort = (typeof SORTS)[number];

export interface InboxQuery extends PageRequest {
  status?: Status | undefined;
  /** null: nobody. */
  assigneeId?: string | null | undefined;
  channelId?: string | undefined;
  contactId?: string | undefined;
  tag?: string | undefined;
  priority?: Priority | undefined;
  query?: string | undefined;
  updatedSince?: Date | undefined;
  sort: Sort;
}

/** How many unresolved conversations there are, among those that the caller may see. */
export interface ConversationCounts {
  mine: number;
  unassigned: number;
  open: number;
  pending: number;
  snoozed: number;
}
