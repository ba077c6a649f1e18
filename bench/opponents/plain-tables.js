import { withClient } from '../database.js';

/** The two tables of every opponent except the service, and the statement of the hand-written servers. */

const TABLES = `
  CREATE TABLE conversation (
    id uuid PRIMARY KEY,
    last_seq bigint NOT NULL DEFAULT 0,
    last_activity_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE message (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    conversation_id uuid NOT NULL REFERENCES conversation,
    seq bigint NOT NULL,
    sender_type text NOT NULL,
    sender_id uuid NOT NULL,
    content text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (conversation_id, seq));
  INSERT INTO conversation (id)
    SELECT ('00000000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid FROM generate_series(1, 1000) AS number`;

/** Inserts one message: $1 conversation, $2 sender, $3 content. */
export const SEND = `
  WITH counted AS (
    UPDATE conversation SET last_seq = last_seq + 1, last_activity_at = clock_timestamp() WHERE id = $1
    RETURNING last_seq)
  INSERT INTO message (conversation_id, seq, sender_type, sender_id, content)
  SELECT $1, last_seq, 'agent', $2, $3 FROM counted
  RETURNING id, seq, created_at`;

/** Inserts many messages: $1 conversations, $2 senders, $3 contents, of equal length. Returns rows in that order. */
export const SEND_MANY = `
  WITH sent AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS s (conversation_id, sender_id, content, position)),
  locked AS (
    SELECT id, last_seq FROM conversation WHERE id IN (SELECT conversation_id FROM sent) ORDER BY id FOR UPDATE),
  numbered AS (
    SELECT uuidv7() AS id, sent.*, last_seq + row_number() OVER (PARTITION BY conversation_id ORDER BY position) AS seq
    FROM sent JOIN locked ON locked.id = conversation_id),
  counted AS (
    UPDATE conversation SET last_seq = top.seq, last_activity_at = clock_timestamp()
    FROM (SELECT conversation_id, max(seq) AS seq FROM numbered GROUP BY conversation_id) AS top
    WHERE conversation.id = top.conversation_id),
  made AS (
    INSERT INTO message (id, conversation_id, seq, sender_type, sender_id, content)
    SELECT id, conversation_id, seq, 'agent', sender_id, content FROM numbered
    RETURNING id, created_at)
  SELECT id, seq, created_at FROM numbered JOIN made USING (id) ORDER BY position`;

/** Returns the id of a conversation by its number, from 1 to 1,000. */
export function conversationId(number) {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

/** Creates the tables with a thousand conversations. */
export function makeTables(url) {
  return withClient(url, client => client.query(TABLES));
}
