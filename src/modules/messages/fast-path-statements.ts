import { statement } from '../../platform/database/sql.service.js';
import type { CallerValues } from '../../platform/database/visibility.js';
import { isVisible, scopeColumnsOf } from '../../platform/database/visibility.js';
import { wireTime } from '../../platform/database/wire-time.js';
import { appendFrom } from '../../platform/events/event.repository.js';
import { MESSAGE_CREATED_VERSION } from './messages.events.js';

/**
 * SQL of an event's payload, from the columns of a sent message. It puts texts together and parses them once, which costs
 * less than building JSON.
 * @param record the text of the message's record without its closing bracket
 */
export const payloadOf = (record: string) => `(
        '{"message":' || ${record} || ',"seq":' || seq || ',"created_at":"' || at_text || '"},"conversation":{"id":"'
        || conversation_id || '","status":"open","last_seq":' || seq || ',"last_public_seq":' || public_seq
        || ',"unread":{"agents":' || agents_unread || ',"contact":' || contact_unread || '},"last_activity_at":"' || at_text
        || '","last_public_activity_at":"' || CASE WHEN public_at = at THEN at_text ELSE ${wireTime('public_at')} END || '"}}'
        )::jsonb`;

/** SQL of a message's preview, from the columns of a sent message. */
export const previewOf = (id: string, preview: string, senderType: string) =>
  `jsonb_build_object('id', ${id}, 'preview', ${preview}, 'sender_type', ${senderType}, 'created_at', at_text)`;

export const INSERT = `INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, sender_name,
      sender_avatar_url, content_type, content, attachments, metadata, client_message_id, private, reply_to_id, created_at)`;

/** SQL of a message's values: parameters, or columns of a relation with one row per message. */
interface SendValues extends CallerValues {
  conversation: string;
  /** True for a private note. */
  isPrivate: string;
  isInbound: string;
  isByAgent: string;
}

/** True for a conversation that takes the message: neither a contact's first after an opening, nor the first answer. */
export function takes({ conversation, isPrivate, isInbound, isByAgent, ...sender }: SendValues): string {
  return `conversation.id = ${conversation} AND ${isVisible(scopeColumnsOf('conversation'), sender)}
        AND status = 'open' AND control = 'human' AND erased_at IS NULL
        AND CASE WHEN ${isPrivate} THEN true WHEN ${isInbound} THEN NOT contact_due
                 WHEN ${isByAgent} THEN NOT first_response_due ELSE true END`;
}

/**
 * Evaluated only for messages without a result: the conversation takes the message, but it or its contact was locked.
 * @param taken the filter of the conversation
 */
export const wasSkipped = (taken: string) =>
  `CASE WHEN seq IS NULL THEN EXISTS (SELECT FROM conversation WHERE ${taken}) ELSE false END`;

const TAKES_REQUEST = takes({
  workspace: 'request.workspace_id',
  contact: 'request.visitor_id',
  channels: 'request.channels',
  conversation: 'request.conversation_id',
  isPrivate: 'request.private',
  isInbound: 'request.inbound',
  isByAgent: 'request.by_agent',
});
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
export const SEND = statement(`
  WITH request AS (
    SELECT request.*, sender_type = 'contact' AS inbound, sender_type = 'agent' AS by_agent
    FROM json_to_recordset($1) AS request (
      ordinal int, workspace_id uuid, conversation_id uuid, id uuid, sender_type text, sender_id uuid, sender_name text,
      sender_avatar_url text, content_type text, content text, metadata jsonb, client_message_id text, private boolean,
      record text, preview text, event_id uuid, actor jsonb, request_id text, channels uuid[], visitor_id uuid,
      generation int
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
      WHERE conversation_id = request.conversation_id AND sender_type = request.sender_type
        AND sender_id = request.sender_id AND client_message_id = request.client_message_id
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
      WHERE ${TAKES_REQUEST}
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
      ${previewOf('id', 'preview', 'sender_type')} AS preview_record,
      ${payloadOf('record')} AS payload
    FROM (SELECT *, ${wireTime('at')} AS at_text FROM numbered OFFSET 0) AS numbered
    ORDER BY conversation_id, seq
  ),
  inserted AS (
    ${INSERT}
    SELECT workspace_id, id, conversation_id, seq, sender_type, sender_id, sender_name, sender_avatar_url,
           content_type, content, '[]', metadata, client_message_id, private, NULL, at
    FROM sent
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
         xid, position, recorded_at, ${wasSkipped(TAKES_REQUEST)} AS skipped
  FROM request LEFT JOIN (numbered JOIN recorded ON recorded.id = numbered.event_id) ON numbered.ordinal = request.ordinal`);
