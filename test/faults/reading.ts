import type { Client } from 'pg';
import type { DeskReading } from './desk-reading.js';
import { readDesk } from './desk-reading.js';
import { now } from './history.js';

export interface MessageRow {
  id: string;
  conversation_id: string;
  seq: number;
  sender_type: string;
  client_message_id: string | null;
  private: boolean;
  content: string | null;
  changed: boolean;
  /** Part of a bot's answer whose stream broke. */
  truncated: boolean;
}

export interface ConversationRow {
  id: string;
  last_seq: number;
  status: string;
  assignee_id: string | null;
}

export interface EventRow {
  id: string;
  type: string;
  position: string;
  workspace_id: string;
  channel_id: string | null;
  conversation_id: string | null;
  contact_id: string | null;
  /** True if visitors may see it. */
  public: boolean;
  /** Milliseconds since 1970; null without track_commit_timestamp. */
  committed_at: number | null;
}

/** A delivery of a bot: a contact's message, or the end of its control. */
export interface TurnRow {
  id: string;
  kind: 'message' | 'ended';
  bot_id: string;
  conversation_id: string;
  message_id: string | null;
  seq: number;
  state: string;
}

/** Deliveries of one event to one webhook. */
export interface DeliveryRow {
  webhook_id: string;
  event_id: string;
  /** The status of each delivery. */
  statuses: string[];
}

/** Rows that PostgreSQL stores for a seed's workspaces at its end. */
export interface Reading extends DeskReading {
  /** Time on the instances' clocks. */
  at: number;
  messages: MessageRow[];
  conversations: ConversationRow[];
  events: EventRow[];
  members: { workspace_id: string; email: string }[];
  /** Ids of events in the audit log, which an event consumer writes. */
  audited: string[];
  /** Per workspace: spent tickets, and sessions created by an API key. */
  tickets: { workspace_id: string; spent: number; minted: number }[];
  turns: TurnRow[];
  deliveries: DeliveryRow[];
}

const MESSAGES = `
  SELECT id, conversation_id, seq, sender_type, client_message_id, private, content,
         edited_at IS NOT NULL OR deleted_at IS NOT NULL AS changed,
         coalesce((metadata ->> 'truncated')::boolean, false) AS truncated
  FROM message WHERE workspace_id = ANY($1)`;
const CONVERSATIONS = `SELECT id, last_seq, status, assignee_id FROM conversation WHERE workspace_id = ANY($1)`;
const MEMBERS = `
  SELECT workspace_id, email FROM member JOIN user_account ON user_account.id = user_id WHERE workspace_id = ANY($1)`;
const AUDITED = `SELECT id FROM audit_entry WHERE workspace_id = ANY($1)`;
const TICKETS = `
  SELECT id AS workspace_id,
    (SELECT count(*)::int FROM sso_ticket WHERE workspace_id = workspace.id AND spent_at IS NOT NULL) AS spent,
    (SELECT count(*)::int FROM session WHERE workspace_id = workspace.id AND api_key_id IS NOT NULL) AS minted
  FROM workspace WHERE id = ANY($1)`;

const TURNS = `
  SELECT id, kind, bot_id, conversation_id, message_id, seq, state FROM bot_turn WHERE workspace_id = ANY($1)
  ORDER BY conversation_id, seq`;
const DELIVERIES = `
  SELECT webhook_id, event_id, array_agg(status) AS statuses FROM webhook_delivery WHERE workspace_id = ANY($1)
  GROUP BY webhook_id, event_id`;

/** Repeats the visibility rules of visitors independently: asking the service's code would prove nothing. */
const EVENTS = `
  SELECT id, type, position::text AS position, workspace_id, channel_id, conversation_id, contact_id,
    CASE
      WHEN type LIKE 'message.%' THEN NOT (payload #>> '{message,private}')::boolean
      WHEN type = 'conversation.created' THEN true
      WHEN type = 'conversation.read' THEN payload ->> 'last_public_read_seq' IS NOT NULL
      WHEN type = 'conversation.updated'
        THEN payload -> 'changes' ? 'csat' OR jsonb_typeof(payload -> 'assignee') = 'object'
          OR replace(payload #>> '{changes,status,from}', 'snoozed', 'open')
            IS DISTINCT FROM replace(payload #>> '{changes,status,to}', 'snoozed', 'open')
      ELSE false
    END AS public,
    CASE WHEN current_setting('track_commit_timestamp')::boolean
      THEN extract(epoch FROM pg_xact_commit_timestamp(xid::xid)) * 1000 END::float8 AS committed_at
  FROM event WHERE workspace_id = ANY($1) ORDER BY event.position`;

/** Reads the position of the last event in the log. */
export async function readLastPosition(client: Client): Promise<bigint> {
  const sql = 'SELECT coalesce(max(position), 0)::text AS last FROM event';
  return BigInt((await client.query<{ last: string }>(sql)).rows[0]?.last ?? '0');
}

/** Reads everything as of one moment. @param aheadMs how far the instances' clocks are ahead */
export async function readDatabase(client: Client, workspaceIds: readonly string[], aheadMs = 0): Promise<Reading> {
  const rows = async <Row extends object>(sql: string): Promise<Row[]> =>
    (await client.query<Row>(sql, [workspaceIds])).rows;
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const reading = {
    at: now() + aheadMs,
    messages: await rows<MessageRow>(MESSAGES),
    conversations: await rows<ConversationRow>(CONVERSATIONS),
    events: await rows<EventRow>(EVENTS),
    members: await rows<Reading['members'][number]>(MEMBERS),
    audited: (await rows<{ id: string }>(AUDITED)).map(({ id }) => id),
    tickets: await rows<Reading['tickets'][number]>(TICKETS),
    turns: await rows<TurnRow>(TURNS),
    deliveries: await rows<DeliveryRow>(DELIVERIES),
    ...(await readDesk(rows)),
  };
  await client.query('COMMIT');
  return reading;
}
