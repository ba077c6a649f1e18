import { Injectable } from '@nestjs/common';
import type { Actor } from '../../kernel/domain-event.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Visibility } from '../../platform/database/visibility.js';
import { isVisible, scopeColumnsOf } from '../../platform/database/visibility.js';
import { wireTime } from '../../platform/database/wire-time.js';
import type { WrittenRow } from '../../platform/events/event.repository.js';
import { appendFrom } from '../../platform/events/event.repository.js';
import { MESSAGE_CREATED_VERSION } from './messages.events.js';
import type { UnnumberedRecord } from './message.js';

const IS_VISIBLE = isVisible(scopeColumnsOf('conversation'), {
  workspace: 'request.workspace_id',
  contact: 'request.visitor_id',
  channels: 'request.channels',
});
/** Neither the contact's first message after an opening, nor a person's first answer. */
const IS_ORDINARY = `CASE WHEN request.private THEN true WHEN request.inbound THEN NOT contact_due
                          WHEN request.by_agent THEN NOT first_response_due ELSE true END`;
const IS_FAST_PATH = `conversation.id = request.conversation_id AND ${IS_VISIBLE}
        AND status = 'open' AND control = 'human' AND erased_at IS NULL AND ${IS_ORDINARY}`;
/**
 * Evaluated only for messages without a result: the conversation matches the fast path, but it or its contact was
 * locked.
 */
const WAS_SKIPPED = `CASE WHEN seq IS NULL THEN EXISTS (
    SELECT FROM conversation WHERE ${IS_FAST_PATH}
  ) ELSE false END`;

/**
 * Sends a batch of ordinary messages to open conversations served by people, with all columns that each one changes and
 * its event: one statement, one commit. It has the effect of `MessageAppenderService` for each message; a test compares the
 * rows of both. A message gets no result if its conversation is missing, not open or not visible to its sender, or if
 * it was sent before.
 * A row that another transaction has locked is skipped, and its message gets `skipped`, so that the others do not wait.
 * Contacts are locked before conversations, in the order of their ids, as in every transaction that locks several;
 * skipping needs no order, because it never waits. Rows are looked up one by one: PostgreSQL does not know how few
 * there are and might scan the tables. After a lock, values come from the locked row or from `last_event`, because the
 * statement's snapshot may be older.
 */
const SEND = statement(`
  WITH request AS (
    SELECT request.*, record ->> 'sender_type' = 'contact' AS inbound, record ->> 'sender_type' = 'agent' AS by_agent,
           (record ->> 'private')::boolean AS private
    FROM json_to_recordset($1) AS request (
      ordinal int, workspace_id uuid, conversation_id uuid, record jsonb, preview text, event_id uuid, actor jsonb,
      request_id text, channels uuid[], visitor_id uuid, generation int
    )
  ),
  locked_contact AS MATERIALIZED (
    SELECT contact.id, contact.generation
    FROM (SELECT DISTINCT workspace_id, visitor_id FROM request WHERE visitor_id IS NOT NULL ORDER BY visitor_id) AS visitor
    CROSS JOIN LATERAL (
      SELECT id, token_generation AS generation FROM contact
      WHERE contact.workspace_id = visitor.workspace_id AND contact.id = visitor.visitor_id AND NOT contact.blocked
      FOR SHARE SKIP LOCKED
    ) AS contact
  ),
  unsent AS MATERIALIZED (
    SELECT request.*
    FROM request
    LEFT JOIN locked_contact ON locked_contact.id = request.visitor_id AND locked_contact.generation = request.generation
    LEFT JOIN LATERAL (
      SELECT id FROM message
      WHERE conversation_id = request.conversation_id AND sender_type = request.record ->> 'sender_type'
        AND sender_id = (request.record ->> 'sender_id')::uuid
        AND client_message_id = request.record ->> 'client_message_id'
      LIMIT 1
    ) AS existing ON true
    WHERE (visitor_id IS NULL OR locked_contact.id IS NOT NULL) AND existing.id IS NULL
  ),
  locked AS MATERIALIZED (
    SELECT request.*, conversation.*
    FROM unsent AS request
    CROSS JOIN LATERAL (
      SELECT channel_id, contact_id, last_seq, last_public_seq, unread_agents, unread_contact,
             coalesce((last_public_message ->> 'created_at')::timestamptz, created_at) AS last_public_at
      FROM conversation
      WHERE ${IS_FAST_PATH}
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS conversation
  ),
  timed AS MATERIALIZED (
    SELECT locked.*, clock_timestamp()::timestamptz(3) AS at,
           row_number() OVER sending::int AS nth,
           count(*) FILTER (WHERE inbound AND NOT private) OVER sending::int AS received
    FROM locked WINDOW sending AS (PARTITION BY conversation_id ORDER BY ordinal)
  ),
  numbered AS MATERIALIZED (
    SELECT timed.*, last_seq + nth AS seq,
           coalesce(last_seq + max(nth) FILTER (WHERE NOT private) OVER running, last_public_seq) AS public_seq,
           received - coalesce(max(received) FILTER (WHERE by_agent AND NOT private) OVER running, -unread_agents) AS agents_unread,
           (unread_contact + count(*) FILTER (WHERE NOT inbound AND NOT private) OVER running)::int AS contact_unread,
           coalesce(max(at) FILTER (WHERE NOT private) OVER running, last_public_at) AS public_at,
           max(nth) FILTER (WHERE NOT inbound AND NOT private) OVER (PARTITION BY conversation_id) AS last_answer,
           CASE WHEN nth = 1 THEN last_event(conversation_id) END AS previous
    FROM timed
    WINDOW running AS (PARTITION BY conversation_id ORDER BY ordinal ROWS UNBOUNDED PRECEDING)
  ),
  sent AS (
    SELECT numbered.*, 'message.created' AS type,
      jsonb_build_object('id', record -> 'id', 'preview', preview, 'sender_type', record -> 'sender_type',
                         'created_at', ${wireTime('at')}) AS preview_record,
      jsonb_build_object(
        'message', record || jsonb_build_object('seq', seq, 'created_at', ${wireTime('at')}),
        'conversation', jsonb_build_object(
          'id', conversation_id, 'status', 'open', 'last_seq', seq, 'last_public_seq', public_seq,
          'unread', jsonb_build_object('agents', agents_unread, 'contact', contact_unread),
          'last_activity_at', ${wireTime('at')}, 'last_public_activity_at', ${wireTime('public_at')})) AS payload
    FROM numbered
    ORDER BY conversation_id, seq
  ),
  inserted AS (
    INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, sender_name, sender_avatar_url,
                         content_type, content, attachments, metadata, client_message_id, private, reply_to_id, created_at)
    SELECT sent.workspace_id, new.id, sent.conversation_id, sent.seq, new.sender_type, new.sender_id, new.sender_name,
           new.sender_avatar_url, new.content_type, new.content, new.attachments, new.metadata, new.client_message_id,
           new.private, new.reply_to_id, sent.at
    FROM sent CROSS JOIN LATERAL jsonb_to_record(sent.record) AS new (
      id uuid, sender_type text, sender_id uuid, sender_name text, sender_avatar_url text, content_type text,
      content text, attachments jsonb, metadata jsonb, client_message_id text, private boolean, reply_to_id uuid)
  ),
  updated AS (
    UPDATE conversation
    SET last_seq = latest.seq, last_public_seq = latest.public_seq, updated_at = latest.at,
        last_activity_at = latest.at, last_message = latest.preview_record,
        last_public_message = coalesce(latest.public_preview_record, conversation.last_public_message),
        unread_agents = latest.agents_unread, unread_contact = latest.contact_unread,
        waiting_since = CASE WHEN latest.last_answer IS NULL THEN coalesce(conversation.waiting_since, latest.waiting_at)
                             ELSE latest.waiting_at END,
        agent_last_read_seq = greatest(conversation.agent_last_read_seq, latest.read_seq)
    FROM (
      SELECT workspace_id, conversation_id, max(seq) AS seq, max(public_seq) AS public_seq, max(at) AS at,
             (array_agg(agents_unread ORDER BY seq DESC))[1] AS agents_unread, max(contact_unread) AS contact_unread,
             max(last_answer) AS last_answer, max(seq) FILTER (WHERE by_agent AND NOT private) AS read_seq,
             (array_agg(preview_record ORDER BY seq DESC))[1] AS preview_record,
             (array_agg(preview_record ORDER BY seq DESC) FILTER (WHERE NOT private))[1] AS public_preview_record,
             min(at) FILTER (WHERE inbound AND NOT private AND nth > coalesce(last_answer, 0)) AS waiting_at
      FROM sent GROUP BY workspace_id, conversation_id
    ) AS latest
    WHERE conversation.workspace_id = latest.workspace_id AND conversation.id = latest.conversation_id
  ),
  recorded AS (${appendFrom('sent', MESSAGE_CREATED_VERSION)})
  SELECT request.ordinal, channel_id, contact_id, seq, at, public_seq, public_at, agents_unread, contact_unread, previous,
         xid, position, recorded_at, ${WAS_SKIPPED} AS skipped
  FROM request LEFT JOIN (numbered JOIN recorded ON recorded.id = numbered.event_id) ON numbered.ordinal = request.ordinal`);

/** Locks in the order of `SEND`: the filter of the conversations is evaluated before the first one is locked. */
const LOCK = statement(`
  WITH locked_contact AS MATERIALIZED (
    SELECT id FROM contact WHERE workspace_id = ANY($1::uuid[]) AND id = ANY($2::uuid[]) ORDER BY id FOR SHARE
  )
  SELECT id FROM conversation
  WHERE workspace_id = ANY($1::uuid[]) AND id = ANY($3::uuid[]) AND (SELECT count(*) FROM locked_contact) IS NOT NULL
  ORDER BY id FOR NO KEY UPDATE`);

/** A message to send, with its sender's visibility and the data of its event. */
export interface FastPathSend {
  visibility: Visibility;
  conversationId: string;
  /** The statement adds `seq` and `created_at`. */
  record: UnnumberedRecord;
  preview: string;
  eventId: string;
  actor: Actor;
  requestId: string | null;
  /** The generation of a visitor's token, which must still be the contact's current one; null for other senders. */
  generation: number | null;
}

/** Result of a sent message. */
export interface FastPathRow extends WrittenRow {
  skipped: false;
  channel_id: string;
  contact_id: string;
  seq: number;
  at: Date;
  public_seq: number;
  public_at: Date;
  agents_unread: number;
  contact_unread: number;
  /** The conversation's last event before this batch, on the first message of each conversation; null on the others. */
  previous: { id: string; xid: string } | null;
}

/** Result for a message whose conversation or contact was locked by another transaction. */
export const SKIPPED_ROW = 'skipped';
export type SendOutcome = FastPathRow | typeof SKIPPED_ROW | null;

type AnswerRow = { ordinal: number } & (FastPathRow | { skipped: boolean; seq: null });

@Injectable()
export class FastPathSendsRepository {
  constructor(private readonly sql: SqlService) {}

  /**
   * @param timeout milliseconds left for the statement
   * @returns one outcome per send: null if it was not sent, `SKIPPED_ROW` if a lock was in the way. Sends to one
   *   conversation get their `seq` in the given order
   */
  async send(sends: readonly FastPathSend[], timeout?: number): Promise<SendOutcome[]> {
    return toOutcomes(sends, await this.sql.rows<AnswerRow>(SEND, [toJson(sends)], timeout));
  }

  /**
   * Waits for the rows that these sends lock, in the current unit of work. A statement that waits for a row and then
   * updates it can deadlock with the next one that waits, so `send` must not wait itself.
   * @throws QueryFailedError (`isLockTimeout`)
   */
  async lock(sends: readonly FastPathSend[]): Promise<void> {
    const workspaceIds = sends.map(({ visibility }) => visibility.workspaceId);
    const contactIds = sends.flatMap(({ visibility: { contactId } }) => contactId ?? []);
    await this.sql.rows(LOCK, [workspaceIds, contactIds, sends.map(({ conversationId }) => conversationId)]);
  }
}

function toJson(sends: readonly FastPathSend[]): string {
  const rows = sends.map((one, ordinal) => ({
    ordinal,
    workspace_id: one.visibility.workspaceId,
    conversation_id: one.conversationId,
    record: one.record,
    preview: one.preview,
    event_id: one.eventId,
    actor: one.actor,
    request_id: one.requestId,
    channels: one.visibility.channels,
    visitor_id: one.visibility.contactId,
    generation: one.generation,
  }));
  return JSON.stringify(rows);
}

function toOutcomes(sends: readonly FastPathSend[], rows: readonly AnswerRow[]): SendOutcome[] {
  const outcomes = sends.map((): SendOutcome => null);
  for (const row of rows) {
    if (row.skipped) outcomes[row.ordinal] = SKIPPED_ROW;
    else if (row.seq !== null) outcomes[row.ordinal] = row;
  }
  return outcomes;
}
