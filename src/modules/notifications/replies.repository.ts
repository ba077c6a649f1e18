import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { EventRange } from '../../platform/events/reading-position.repository.js';
import { IS_IN_RANGE, rangeValues } from '../../platform/events/reading-position.repository.js';
import type { ParticipantKey } from '../conversations/index.js';
import type { UnsentNote } from './notifications.repository.js';

/**
 * Finds contacts' messages whose reply concerns a member: the assignee, or if there is none those who have written,
 * since before the message. Not after a look at it, nor while a notification of an earlier reply is unread.
 * The members' rows are locked in order, so that a look at the same time is either seen here or sees the notification.
 */
const REPLIES = statement(`
  SELECT participant.workspace_id AS "workspaceId", participant.member_id AS "memberId",
         participant.conversation_id AS "conversationId", written.channel_id AS "channelId",
         written.message_id AS "messageId", written.seq, written.contact_id AS "contactId", written.recorded_at AS at
  FROM (
    SELECT workspace_id, channel_id, conversation_id, recorded_at, (payload #>> '{message,id}')::uuid AS message_id,
           (payload #>> '{message,seq}')::int AS seq, (payload #>> '{message,sender_id}')::uuid AS contact_id
    FROM event
    WHERE ${IS_IN_RANGE} AND type = 'message.created' AND payload #>> '{message,sender_type}' = 'contact'
  ) AS written
    JOIN participant ON participant.workspace_id = written.workspace_id
      AND participant.conversation_id = written.conversation_id
  WHERE participant.left_at IS NULL AND participant.looked_seq < written.seq
    AND (participant.assigned_at < written.recorded_at
      OR participant.wrote_at < written.recorded_at AND NOT EXISTS (
        SELECT FROM participant AS assignee
        WHERE assignee.workspace_id = written.workspace_id AND assignee.conversation_id = written.conversation_id
          AND assignee.left_at IS NULL AND assignee.assigned_at < written.recorded_at))
    AND NOT EXISTS (
      SELECT FROM notification AS earlier
      WHERE earlier.workspace_id = participant.workspace_id AND earlier.member_id = participant.member_id
        AND earlier.conversation_id = participant.conversation_id
        AND earlier.type = 'replied' AND earlier.read_at IS NULL)
  ORDER BY participant.workspace_id, participant.member_id, participant.conversation_id, written.seq
  FOR NO KEY UPDATE OF participant`);
/** Finds who has written, without loading the messages. */
const WRITERS = statement(`
  SELECT workspace_id AS "workspaceId", member_id AS "memberId", conversation_id AS "conversationId",
         min(recorded_at) AS "firstAt", max(recorded_at) AS "lastAt", max(seq) AS "lastSeq",
         max(position)::text AS "lastPosition"
  FROM (
    SELECT workspace_id, conversation_id, recorded_at, position, (payload #>> '{message,sender_id}')::uuid AS member_id,
           (payload #>> '{message,seq}')::int AS seq
    FROM event
    WHERE ${IS_IN_RANGE} AND type = 'message.created' AND payload #>> '{message,sender_type}' = 'agent'
  ) AS written
  GROUP BY workspace_id, member_id, conversation_id`);
const NEXT_REPLY = statement(`
  SELECT conversation.workspace_id AS "workspaceId", conversation.id AS "conversationId",
         conversation.channel_id AS "channelId", message.id AS "messageId", message.seq,
         message.sender_id AS "contactId", message.created_at AS at
  FROM message JOIN conversation
    ON conversation.workspace_id = message.workspace_id AND conversation.id = message.conversation_id
  WHERE message.workspace_id = $1 AND message.conversation_id = $2 AND message.seq > $3
    AND message.sender_type = 'contact' AND message.deleted_at IS NULL
  ORDER BY message.seq LIMIT 1`);
/** The last mention that is left to members whose last one was in an unsent note. */
const REMAINING_MENTIONS = statement(`
  SELECT participant.workspace_id AS "workspaceId", participant.member_id AS "memberId",
         participant.conversation_id AS "conversationId", (
    SELECT max(seq) FROM message
    WHERE message.workspace_id = participant.workspace_id AND message.conversation_id = participant.conversation_id
      AND message.private AND message.deleted_at IS NULL
      AND message.metadata -> 'mentions' ? participant.member_id::text) AS seq
  FROM participant JOIN unnest($1::uuid[], $2::uuid[], $3::int[]) AS unsent (workspace_id, conversation_id, seq)
    ON participant.workspace_id = unsent.workspace_id AND participant.conversation_id = unsent.conversation_id
      AND participant.mentioned_seq = unsent.seq`);

/** A contact's message that concerns a member. */
export interface Reply extends ParticipantKey {
  channelId: string;
  messageId: string;
  seq: number;
  contactId: string;
  at: Date;
}

/** A member's messages in a conversation. */
export interface Writer extends ParticipantKey {
  firstAt: Date;
  lastAt: Date;
  lastSeq: number;
  /** The position of the last one in the event log. */
  lastPosition: string;
}

/** Reads what the notifications of a part of the event log depend on. */
@Injectable()
export class RepliesRepository {
  constructor(private readonly sql: SqlService) {}

  /** In order of `seq` for each member and conversation. */
  findReplies(range: EventRange): Promise<Reply[]> {
    return this.sql.rows<Reply>(REPLIES, rangeValues(range));
  }

  findWriters(range: EventRange): Promise<Writer[]> {
    return this.sql.rows<Writer>(WRITERS, rangeValues(range));
  }

  /** Finds the contact's first message after a look. */
  async findNext(look: ParticipantKey, seq: number): Promise<Reply | null> {
    const { workspaceId, memberId, conversationId } = look;
    const next = await this.sql.first<Omit<Reply, 'memberId'>>(NEXT_REPLY, [workspaceId, conversationId, seq]);
    return next ? { ...next, memberId } : null;
  }

  findRemainingMentions(unsent: readonly UnsentNote[]): Promise<(ParticipantKey & { seq: number | null })[]> {
    if (unsent.length === 0) return Promise.resolve([]);
    return this.sql.rows(REMAINING_MENTIONS, [
      unsent.map(({ workspaceId }) => workspaceId),
      unsent.map(({ conversationId }) => conversationId),
      unsent.map(({ seq }) => seq),
    ]);
  }
}
