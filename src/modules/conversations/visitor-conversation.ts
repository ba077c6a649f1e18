import { toWireTime } from '../../kernel/clock.js';
import type { ScrubFields } from '../../kernel/scrub.js';
import { personal } from '../../kernel/scrub.js';
import type { MemberDisplay } from '../members/index.js';
import type { Conversation, LastMessage, Rating, Status, Unread } from './conversation.js';
import { unreadOf } from './conversation.js';

export const VISITOR_STATUSES = ['pending', 'open', 'resolved'] as const;
/** The status as visitors see it: a snooze is the agents' affair. */
export type VisitorStatus = Exclude<Status, 'snoozed'>;

/** Everything that a visitor sees of its conversation. Counts and previews cover public messages only. */
export interface VisitorConversationRecord {
  id: string;
  number: number;
  status: VisitorStatus;
  assignee: MemberDisplay | null;
  last_message: LastMessage | null;
  last_seq: number;
  unread: Unread;
  csat: Rating | null;
  created_at: string;
}

/** The scrubbing of each field. */
export const VISITOR_CONVERSATION_FIELDS: ScrubFields<VisitorConversationRecord> = {
  id: 'kept',
  number: 'kept',
  status: 'kept',
  assignee: 'kept',
  last_message: personal(null),
  last_seq: 'kept',
  unread: 'kept',
  csat: personal(null),
  created_at: 'kept',
};

export function toVisitorStatus(status: Status): VisitorStatus {
  return status === 'snoozed' ? 'open' : status;
}

export function toVisitorConversationRecord(
  conversation: Conversation,
  assignee: MemberDisplay | null,
): VisitorConversationRecord {
  return {
    id: conversation.id,
    number: conversation.number,
    status: toVisitorStatus(conversation.status),
    assignee,
    last_message: conversation.lastPublicMessage,
    last_seq: conversation.lastPublicSeq,
    unread: unreadOf(conversation),
    csat: conversation.csat,
    created_at: toWireTime(conversation.createdAt),
  };
}
