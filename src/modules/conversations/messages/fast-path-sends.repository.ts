import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../kernel/domain-event.js';
import { Sql, statement } from '../../../platform/database/sql.js';
import { wireTime } from '../../../platform/database/wire-time.js';
import type { WrittenRow } from '../../../platform/events/event.repository.js';
import { appendFrom } from '../../../platform/events/event.repository.js';
import type { MessageRecord } from './message.js';

const IS_FAST_PATH = `conversation.workspace_id = wanted.workspace_id AND conversation.id = wanted.conversation_id
        AND status = 'open' AND control = 'human' AND erased_at IS NULL
        AND (wanted.scope IS NULL OR channel_id = ANY(wanted.scope))`;
/** Looked at only where nothing came of a message: a plain conversation was left out because of a lock, its own or its contact's. */
const WAS_SKIPPED = `CASE WHEN seq IS NULL THEN EXISTS (
    SELECT FROM conversation WHERE ${IS_FAST_PATH} AND (wanted.visitor_id IS NULL OR contact_id = wanted.visitor_id)
  ) ELSE false END`;

/**
 * Messages into conversations that are open and served by people, as many as there are, with all that each moves and the
 * event that tells of it: one statement, one commit. It does what `MessageAppenderService` does one by one, and a test compares
 * the rows of both. Nothing comes of a message whose conversation is not there, not open or not to be seen by its sender,
 * nor of one that was said before.
 *
 * A row that another transaction has locked is skipped: its message is answered with `skipped`, and the others do not
 * wait. The waiting text waits for locks, at most for so many milliseconds as its second parameter says.
 *
 * Contacts are held before conversations, in the order of their ids, as everybody does who takes several. The waiting text
 * is for the messages of one conversation; whoever skips needs no order, for he waits for nobody. Rows are looked up one by one, so that PostgreSQL, which does not know how few there are, can never think of reading all. What
 * comes after a lock is read from the locked row, or by `last_event`: the statement's own snapshot may be older.
 */
const sendSql = (onLock: 'skip' | 'wait'): string => `
  WITH wanted AS (
    SELECT wanted.*, record ->> 'sender_type' = 'contact' AS inbound, (record ->> 'private')::boolean AS private
    FROM json_to_recordset($1) AS wanted (
      place int, workspace_id uuid, conversation_id uuid, record jsonb, preview text, event_id uuid, actor jsonb,
      request_id text, scope uuid[], visitor_id uuid, generation int
    )
    ${onLock === 'wait' ? `WHERE set_config('lock_timeout', $2, true) IS NOT NULL` : ''}
  ),
  held AS MATERIALIZED (
    SELECT contact.id, contact.generation
    FROM (SELECT DISTINCT workspace_id, visitor_id FROM wanted WHERE visitor_id IS NOT NULL ORDER BY visitor_id) AS visitor
    CROSS JOIN LATERAL (
      SELECT id, token_generation AS generation FROM contact
      WHERE contact.workspace_id = visitor.workspace_id AND contact.id = visitor.visitor_id AND NOT contact.blocked
      FOR SHARE ${onLock === 'skip' ? 'SKIP LOCKED' : ''}
    ) AS contact
  ),
  seen AS MATERIALIZED (
    SELECT wanted.*, held.id AS held_id
    FROM wanted
    LEFT JOIN held ON held.id = wanted.visitor_id AND held.generation = wanted.generation
    LEFT JOIN LATERAL (
      SELECT id FROM message
      WHERE conversation_id = wanted.conversation_id AND sender_type = wanted.record ->> 'sender_type'
        AND sender_id = (wanted.record ->> 'sender_id')::uuid
        AND client_message_id = wanted.record ->> 'client_message_id'
      LIMIT 1
    ) AS twin ON true
    WHERE (visitor_id IS NULL OR held.id IS NOT NULL) AND twin.id IS NULL
  ),
  locked AS MATERIALIZED (
    SELECT wanted.*, conversation.*
    FROM seen AS wanted
    CROSS JOIN LATERAL (
      SELECT channel_id, contact_id, last_seq, last_public_seq, unread_agents, unread_contact,
             coalesce((last_public_message ->> 'created_at')::timestamptz, created_at) AS last_public_at
      FROM conversation
      WHERE ${IS_FAST_PATH} AND (wanted.held_id IS NULL OR contact_id = wanted.held_id)
      FOR NO KEY UPDATE ${onLock === 'skip' ? 'SKIP LOCKED' : ''}
    ) AS conversation
  ),
  timed AS MATERIALIZED (
    SELECT locked.*, clock_timestamp()::timestamptz(3) AS at,
           row_number() OVER (PARTITION BY conversation_id ORDER BY place)::int AS nth
    FROM locked
  ),
  numbered AS MATERIALIZED (
    SELECT timed.*, last_seq + nth AS seq,
           coalesce(last_seq + max(nth) FILTER (WHERE NOT private) OVER said, last_public_seq) AS public_seq,
           (unread_agents + count(*) FILTER (WHERE inbound AND NOT private) OVER said)::int AS agents_unread,
           (unread_contact + count(*) FILTER (WHERE NOT inbound AND NOT private) OVER said)::int AS contact_unread,
           coalesce(max(at) FILTER (WHERE NOT private) OVER said, last_public_at) AS public_at,
           max(nth) FILTER (WHERE NOT inbound AND NOT private) OVER (PARTITION BY conversation_id) AS answered,
           CASE WHEN nth = 1 THEN last_event(conversation_id) END AS previous
    FROM timed
    WINDOW said AS (PARTITION BY conversation_id ORDER BY place ROWS UNBOUNDED PRECEDING)
  ),
  said AS (
    SELECT numbered.*, 'message.created' AS type,
      jsonb_build_object('id', record -> 'id', 'preview', preview, 'sender_type', record -> 'sender_type',
                         'created_at', ${wireTime('at')}) AS shown,
      jsonb_build_object(
        'message', record || jsonb_build_object('seq', seq, 'created_at', ${wireTime('at')}),
        'conversation', jsonb_build_object(
          'id', conversation_id, 'status', 'open', 'last_seq', seq, 'last_public_seq', public_seq,
          'unread', jsonb_build_object('agents', agents_unread, 'contact', contact_unread),
          'last_activity_at', ${wireTime('at')}, 'last_public_activity_at', ${wireTime('public_at')})) AS payload
    FROM numbered
    ORDER BY conversation_id, seq
  ),
  kept AS (
    INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, sender_name, content_type,
                         content, attachments, metadata, client_message_id, private, reply_to_id, created_at)
    SELECT said.workspace_id, new.id, said.conversation_id, said.seq, new.sender_type, new.sender_id, new.sender_name,
           new.content_type, new.content, new.attachments, new.metadata, new.client_message_id, new.private,
           new.reply_to_id, said.at
    FROM said CROSS JOIN LATERAL jsonb_to_record(said.record) AS new (
      id uuid, sender_type text, sender_id uuid, sender_name text, content_type text, content text, attachments jsonb,
      metadata jsonb, client_message_id text, private boolean, reply_to_id uuid)
  ),
  moved AS (
    UPDATE conversation
    SET last_seq = latest.seq, last_public_seq = latest.public_seq, updated_at = latest.at,
        last_activity_at = latest.at, last_message = latest.shown,
        last_public_message = coalesce(latest.public_shown, conversation.last_public_message),
        unread_agents = latest.agents_unread, unread_contact = latest.contact_unread,
        waiting_since = CASE WHEN latest.answered IS NULL THEN coalesce(conversation.waiting_since, latest.asked_at)
                             ELSE latest.asked_at END,
        first_response_at = coalesce(conversation.first_response_at, latest.answered_at)
    FROM (
      SELECT workspace_id, conversation_id, max(seq) AS seq, max(public_seq) AS public_seq, max(at) AS at,
             max(agents_unread) AS agents_unread, max(contact_unread) AS contact_unread, max(answered) AS answered,
             (array_agg(shown ORDER BY seq DESC))[1] AS shown,
             (array_agg(shown ORDER BY seq DESC) FILTER (WHERE NOT private))[1] AS public_shown,
             min(at) FILTER (WHERE inbound AND NOT private AND nth > coalesce(answered, 0)) AS asked_at,
             min(at) FILTER (WHERE NOT inbound AND NOT private) AS answered_at
      FROM said GROUP BY workspace_id, conversation_id
    ) AS latest
    WHERE conversation.workspace_id = latest.workspace_id AND conversation.id = latest.conversation_id
  ),
  recorded AS (${appendFrom('said')})
  SELECT wanted.place, channel_id, contact_id, seq, at, public_seq, public_at, agents_unread, contact_unread, previous,
         xid, position, recorded_at, ${onLock === 'skip' ? WAS_SKIPPED : 'false'} AS skipped
  FROM wanted LEFT JOIN (numbered JOIN recorded ON recorded.id = numbered.event_id) ON numbered.place = wanted.place`;

const SEND = statement(sendSql('skip'));
const SEND_AND_WAIT = statement(sendSql('wait'));

/** What is to be said, by whom, and how its event is signed. */
export interface FastPathSend {
  workspaceId: string;
  conversationId: string;
  /** `seq` and `created_at` are the statement's to say. */
  record: Omit<MessageRecord, 'seq' | 'created_at'>;
  preview: string;
  eventId: string;
  actor: Actor;
  requestId: string | null;
  /** The channels that the sender sees; null for all. */
  scope: readonly string[] | null;
  /** A visitor sends with a token of a generation of its contact's, which must still be the present one. */
  visitor: { contactId: string; generation: number } | null;
}

/** What became of it. */
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
  /** The conversation's last event before these; null for all but the first. */
  previous: { id: string; xid: string } | null;
}

/** The row of a message whose conversation or contact was locked by another transaction. */
export const SKIPPED_ROW = 'skipped';
export type SendOutcome = FastPathRow | typeof SKIPPED_ROW | null;

type AnswerRow = { place: number } & (FastPathRow | { skipped: boolean; seq: null });

@Injectable()
export class FastPathSendsRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * @param timeout milliseconds that are left for the statement
   * @returns what became of each; null where nothing did, `SKIPPED_ROW` where a lock was in the way. Of one conversation
   *   they have their `seq` in this order
   */
  async send(sends: readonly FastPathSend[], timeout?: number): Promise<SendOutcome[]> {
    return toOutcomes(sends, await this.sql.rows<AnswerRow>(SEND, [toJson(sends)], timeout));
  }

  /** The same, but waits for each lock, `lockMs` at most. @throws QueryFailedError (`isLockTimeout`), and nothing has happened */
  async sendAndWait(sends: readonly FastPathSend[], lockMs: number): Promise<SendOutcome[]> {
    return toOutcomes(sends, await this.sql.rows<AnswerRow>(SEND_AND_WAIT, [toJson(sends), String(lockMs)]));
  }
}

function toJson(sends: readonly FastPathSend[]): string {
  const rows = sends.map((one, place) => ({
    place,
    workspace_id: one.workspaceId,
    conversation_id: one.conversationId,
    record: one.record,
    preview: one.preview,
    event_id: one.eventId,
    actor: one.actor,
    request_id: one.requestId,
    scope: one.scope,
    visitor_id: one.visitor?.contactId ?? null,
    generation: one.visitor?.generation ?? null,
  }));
  return JSON.stringify(rows);
}

function toOutcomes(sends: readonly FastPathSend[], answered: readonly AnswerRow[]): SendOutcome[] {
  const found = sends.map((): SendOutcome => null);
  for (const row of answered) {
    if (row.skipped) found[row.place] = SKIPPED_ROW;
    else if (row.seq !== null) found[row.place] = row;
  }
  return found;
}
