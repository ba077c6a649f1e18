import { statement } from '../../platform/database/sql.service.js';
import { wireTime } from '../../platform/database/wire-time.js';
import { appendFrom } from '../../platform/events/event.repository.js';
import { INSERT, payloadOf, previewOf, takes, wasSkipped } from './fast-path-statements.js';
import { MESSAGE_CREATED_VERSION } from './messages.events.js';

/** The parameters of `SEND_ONE`, in the order of its values. */
const ONE = {
  workspace: '$1::uuid',
  conversation: '$2::uuid',
  channels: '$3::uuid[]',
  contact: '$4::uuid',
  generation: '$5::int',
  id: '$6::uuid',
  senderType: '$7::text',
  senderId: '$8::uuid',
  senderName: '$9::text',
  senderAvatarUrl: '$10::text',
  contentType: '$11::text',
  content: '$12::text',
  metadata: '$13::jsonb',
  clientMessageId: '$14::text',
  isPrivate: '$15::boolean',
  record: '$16::text',
  preview: '$17::text',
  eventId: '$18::uuid',
  actor: '$19::jsonb',
  requestId: '$20::text',
};
const IS_INBOUND = `${ONE.senderType} = 'contact'`;
const IS_BY_AGENT = `${ONE.senderType} = 'agent'`;
const TAKES_ONE = takes({ ...ONE, isInbound: IS_INBOUND, isByAgent: IS_BY_AGENT });
/** Private notes are neither questions nor answers. */
const IS_QUESTION = `NOT ${ONE.isPrivate} AND ${IS_INBOUND}`;
const IS_ANSWER = `NOT ${ONE.isPrivate} AND NOT ${IS_INBOUND}`;
const IS_AGENTS_ANSWER = `NOT ${ONE.isPrivate} AND ${IS_BY_AGENT}`;

/**
 * `SEND` for one message, in three quarters of the time: the UPDATE counts, so nothing has to be numbered, sorted or
 * grouped. A batch of one is the usual case unless the service is busy.
 */
export const SEND_ONE = statement(`
  WITH locked_contact AS MATERIALIZED (
    SELECT id FROM contact
    WHERE workspace_id = ${ONE.workspace} AND id = ${ONE.contact} AND token_generation = ${ONE.generation} AND NOT blocked
    FOR SHARE SKIP LOCKED
  ),
  locked AS MATERIALIZED (
    SELECT workspace_id, id FROM conversation
    WHERE (${ONE.contact} IS NULL OR EXISTS (SELECT FROM locked_contact)) AND ${TAKES_ONE}
      AND (${ONE.clientMessageId} IS NULL OR NOT EXISTS (
        SELECT FROM message
        WHERE conversation_id = ${ONE.conversation} AND sender_type = ${ONE.senderType} AND sender_id = ${ONE.senderId}
          AND client_message_id = ${ONE.clientMessageId}
      ))
    FOR NO KEY UPDATE SKIP LOCKED
  ),
  timed AS MATERIALIZED (
    SELECT workspace_id, id, last_event(id) AS previous, at, ${wireTime('at')} AS at_text
    FROM (SELECT workspace_id, id, clock_timestamp()::timestamptz(3) AS at FROM locked OFFSET 0) AS locked
  ),
  updated AS (
    UPDATE conversation
    SET last_seq = last_seq + 1, updated_at = at, last_activity_at = at, last_message = preview,
        last_public_seq = CASE WHEN ${ONE.isPrivate} THEN last_public_seq ELSE last_seq + 1 END,
        last_public_message = CASE WHEN ${ONE.isPrivate} THEN last_public_message ELSE preview END,
        unread_agents = CASE WHEN ${IS_AGENTS_ANSWER} THEN 0 WHEN ${IS_QUESTION} THEN unread_agents + 1
                             ELSE unread_agents END,
        unread_contact = CASE WHEN ${IS_ANSWER} THEN unread_contact + 1 ELSE unread_contact END,
        waiting_since = CASE WHEN ${IS_ANSWER} THEN NULL WHEN ${IS_QUESTION} THEN coalesce(waiting_since, at)
                             ELSE waiting_since END,
        agent_last_read_seq = CASE WHEN ${IS_AGENTS_ANSWER} THEN last_seq + 1 ELSE agent_last_read_seq END
    FROM (SELECT *, ${previewOf(ONE.id, ONE.preview, ONE.senderType)} AS preview FROM timed) AS timed
    WHERE conversation.workspace_id = timed.workspace_id AND conversation.id = timed.id
    RETURNING conversation.workspace_id, conversation.id AS conversation_id, channel_id, contact_id, last_seq AS seq,
              at, at_text, last_public_seq AS public_seq, unread_agents AS agents_unread,
              unread_contact AS contact_unread, previous,
              CASE WHEN ${ONE.isPrivate} THEN coalesce((last_public_message ->> 'created_at')::timestamptz, created_at)
                   ELSE at END AS public_at
  ),
  inserted AS (
    ${INSERT}
    SELECT workspace_id, ${ONE.id}, conversation_id, seq, ${ONE.senderType}, ${ONE.senderId}, ${ONE.senderName},
           ${ONE.senderAvatarUrl}, ${ONE.contentType}, ${ONE.content}, '[]', ${ONE.metadata}, ${ONE.clientMessageId},
           ${ONE.isPrivate}, NULL, at
    FROM updated
  ),
  sent AS (
    SELECT updated.*, 'message.created' AS type, ${ONE.eventId} AS event_id, ${ONE.actor} AS actor,
           ${ONE.requestId} AS request_id, ${payloadOf(ONE.record)} AS payload
    FROM updated
  ),
  recorded AS (${appendFrom('sent', MESSAGE_CREATED_VERSION)})
  SELECT 0 AS ordinal, channel_id, contact_id, seq, at, public_seq, public_at, agents_unread, contact_unread, previous,
         xid, position, recorded_at, ${wasSkipped(TAKES_ONE)} AS skipped
  FROM (SELECT) AS request LEFT JOIN (updated CROSS JOIN recorded) ON true`);
