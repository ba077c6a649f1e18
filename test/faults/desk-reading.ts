import type { Client } from 'pg';

/** An entry of a conversation's timeline that was not withdrawn. Times are milliseconds since 1970. */
export interface TimelineRow {
  conversation_id: string;
  event: string;
  reason: string | null;
  /** End of a snooze. */
  until: number | null;
  assignee_id: string | null;
  created_at: number;
}

interface Change {
  from: string | null;
  to: string | null;
}

/** A change in the event log of a conversation's status or assignee, or of a member's capacity. */
export interface ServiceChange {
  conversation_id: string | null;
  /** Type of the actor. */
  actor: string;
  changes: { status?: Change; assignee_id?: Change } | null;
  member: { id: string; capacity: number } | null;
}

/** A row with a due time, in milliseconds since 1970. */
export interface TimerRow {
  kind: string;
  id: string;
  due_at: number;
}

/** A stored number and its recount. */
export interface CountRow {
  name: string;
  stored: number;
  actual: number;
}

/** A message and its row in the search index. */
export interface SearchedRow {
  id: string;
  /** null if it must not be found. */
  content: string | null;
  /** The segment of its time that it belongs to; null for none. */
  segment: number | null;
  lexemes: string[];
}

export interface MailRow {
  id: string;
  status: string;
  /** True if the row has data to compose the mail. */
  has_data: boolean;
}

/** Rows that the timers, the assignment, the search and the mail queue of a seed's workspaces leave behind. */
export interface DeskReading {
  /** In the order of each conversation. */
  timeline: TimelineRow[];
  /** In the order of their commits. */
  serviceChanges: ServiceChange[];
  timers: TimerRow[];
  counts: CountRow[];
  searched: SearchedRow[];
  mails: MailRow[];
}

/** The member of conversations without an assignee, and member and tag of what reports count for all. */
const NOBODY = '00000000-0000-0000-0000-000000000000';
const ms = (time: string) => `(extract(epoch FROM ${time}) * 1000)::float8`;

const TIMELINE = `
  SELECT conversation_id, metadata ->> 'event' AS event, metadata ->> 'reason' AS reason,
         metadata ->> 'assignee_id' AS assignee_id, ${ms(`(metadata ->> 'until')::timestamptz`)} AS until,
         ${ms('created_at')} AS created_at
  FROM message WHERE workspace_id = ANY($1) AND content_type = 'event' AND deleted_at IS NULL
  ORDER BY conversation_id, seq`;
/** Transactions that wait for the same load commit in the order in which they change it. */
const SERVICE_CHANGES = `
  SELECT conversation_id, actor ->> 'type' AS actor,
    CASE type
      WHEN 'conversation.created' THEN jsonb_build_object(
        'status', jsonb_build_object('from', NULL, 'to', payload #> '{conversation,status}'),
        'assignee_id', jsonb_build_object('from', NULL, 'to', payload #> '{conversation,assignee_id}'))
      WHEN 'conversation.updated' THEN payload -> 'changes'
    END AS changes,
    CASE type WHEN 'member.created' THEN payload WHEN 'member.updated' THEN payload -> 'member' END AS member
  FROM event
  WHERE workspace_id = ANY($1)
    AND type IN ('conversation.created', 'conversation.updated', 'member.created', 'member.updated')
  ORDER BY CASE WHEN current_setting('track_commit_timestamp')::boolean THEN pg_xact_commit_timestamp(xid::xid) END,
           position`;
const TIMERS = `
  SELECT 'snooze' AS kind, id, ${ms('snoozed_until')} AS due_at FROM conversation
  WHERE workspace_id = ANY($1) AND status = 'snoozed' AND snoozed_until IS NOT NULL
  UNION ALL SELECT 'idle timer', conversation_id, ${ms('due_at')} FROM idle_timer WHERE workspace_id = ANY($1)
  UNION ALL SELECT 'follow-up', conversation_id, ${ms('due_at')} FROM follow_up
  WHERE workspace_id = ANY($1) AND due_at IS NOT NULL
  UNION ALL SELECT 'sweep', id, ${ms('requested_at')} FROM channel_sweep WHERE workspace_id = ANY($1)
  UNION ALL SELECT 'mail', id, ${ms('due_at')} FROM outgoing_mail
  WHERE workspace_id = ANY($1) AND status = 'pending'`;
const COUNTS = `
  WITH load AS (SELECT * FROM member_load WHERE workspace_id = ANY($1)),
  tally AS (SELECT * FROM conversation_tally WHERE workspace_id = ANY($1)),
  own AS (
    SELECT conversation.*, channel.routing ->> 'mode' AS mode, channel.auto_resolve_hours FROM conversation
    JOIN channel ON channel.workspace_id = conversation.workspace_id AND channel.id = conversation.channel_id
    WHERE conversation.workspace_id = ANY($1)
  ),
  loads AS (
    SELECT assignee_id AS member_id, count(*) AS actual FROM own
    WHERE status = 'open' AND assignee_id IS NOT NULL GROUP BY 1
  ),
  tallies AS (
    SELECT channel_id, status, coalesce(assignee_id, '${NOBODY}') AS assignee_id,
           count(*) AS actual
    FROM own WHERE status <> 'resolved' GROUP BY 1, 2, 3
  )
  SELECT 'the load of ' || member_id AS name, coalesce(open_count, 0)::int AS stored, coalesce(actual, 0)::int AS actual
  FROM load FULL JOIN loads USING (member_id)
  UNION ALL
  SELECT concat_ws(' ', 'the number of', status, 'conversations of', assignee_id, 'in', channel_id),
         coalesce(count, 0)::int, coalesce(actual, 0)::int
  FROM tally FULL JOIN tallies USING (channel_id, status, assignee_id)
  UNION ALL
  SELECT 'the number of requests of ' || own.id, count(request.conversation_id)::int,
         (own.status = 'open' AND control = 'human' AND own.assignee_id IS NULL AND mode <> 'manual')::int
  FROM own LEFT JOIN assignment_request AS request ON request.conversation_id = own.id AND request.assignee_id IS NULL
  GROUP BY own.id, own.status, control, own.assignee_id, mode
  UNION ALL
  SELECT 'the number of idle timers of ' || own.id, count(idle_timer.conversation_id)::int,
         (own.status IN ('open', 'pending') AND auto_resolve_hours IS NOT NULL)::int
  FROM own LEFT JOIN idle_timer ON idle_timer.conversation_id = own.id
  GROUP BY own.id, own.status, auto_resolve_hours`;
const SEARCHED = `
  SELECT message.id, CASE WHEN content_type <> 'event' AND deleted_at IS NULL THEN content END AS content,
         segment.id AS segment, coalesce(tsvector_to_array(terms), '{}') AS lexemes
  FROM message LEFT JOIN search_document AS document
    ON document.workspace_id = message.workspace_id AND document.id = message.id
  LEFT JOIN search_segment AS segment
    ON segment.id = document.segment_id AND document.created_at BETWEEN segment.first_at AND segment.last_at
  WHERE message.workspace_id = ANY($1)`;
/** Sums that reports are made of, the rows that they count, and those of hours and days that are summed up later. */
const REPORTED = `
  WITH sums AS (
    SELECT workspace_id, sum(created)::int AS created, sum(resolved)::int AS resolved,
           sum(reopened)::int AS reopened, sum(messages_in)::int AS messages_in, sum(messages_out)::int AS messages_out,
           sum(first_response_count)::int AS first_responses
    FROM report_fact
    WHERE workspace_id = ANY($1) AND span = 15 AND member_id = '${NOBODY}' AND tag_id = '${NOBODY}' GROUP BY 1
  ),
  sent AS (
    SELECT workspace_id, count(*) FILTER (WHERE event IN ('resolved', 'closed_by_contact'))::int AS resolved,
           count(*) FILTER (WHERE event = 'reopened')::int AS reopened,
           count(*) FILTER (WHERE event IS NULL AND sender_type = 'contact')::int AS messages_in,
           count(*) FILTER (WHERE event IS NULL AND sender_type = 'agent')::int AS messages_out
    FROM message CROSS JOIN LATERAL (
      SELECT CASE content_type WHEN 'event' THEN metadata ->> 'event' END AS event
    ) AS entry
    WHERE workspace_id = ANY($1) AND NOT private AND (content_type <> 'event' OR deleted_at IS NULL) GROUP BY 1
  ),
  begun AS (SELECT workspace_id, count(*)::int AS created FROM conversation WHERE workspace_id = ANY($1) GROUP BY 1),
  answered AS (
    SELECT workspace_id, count(*)::int AS first_responses FROM first_response WHERE workspace_id = ANY($1) GROUP BY 1
  )
  SELECT concat_ws(' ', 'the number of', name, 'reported of', begun.workspace_id) AS name,
         coalesce(stored, 0) AS stored, coalesce(actual, 0) AS actual
  FROM begun LEFT JOIN sent USING (workspace_id) LEFT JOIN answered USING (workspace_id)
  LEFT JOIN sums USING (workspace_id)
  CROSS JOIN LATERAL (VALUES
    ('conversations', sums.created, begun.created), ('resolves', sums.resolved, sent.resolved),
    ('reopenings', sums.reopened, sent.reopened), ('messages in', sums.messages_in, sent.messages_in),
    ('messages out', sums.messages_out, sent.messages_out),
    ('first responses', sums.first_responses, answered.first_responses)
  ) AS compared (name, stored, actual)
  UNION ALL
  SELECT concat_ws(' ', 'the number of messages reported by', length, 'minutes of', workspace_id),
         coalesce(sum(messages_in + messages_out) FILTER (WHERE span = length), 0)::int,
         coalesce(sum(messages_in + messages_out) FILTER (WHERE span = 15 AND
           date_bin(length * interval '1 minute', at, 'epoch') + length * interval '1 minute' <= summed_until), 0)::int
  FROM report_fact CROSS JOIN report_state CROSS JOIN unnest(ARRAY[60, 360, 1440]) AS length
  WHERE workspace_id = ANY($1) GROUP BY workspace_id, length`;
const MAILS = `SELECT id, status, data IS NOT NULL AS has_data FROM outgoing_mail WHERE workspace_id = ANY($1)`;

/** @param rows runs a query on the seed's workspaces */
export async function readDesk(rows: <Row extends object>(sql: string) => Promise<Row[]>): Promise<DeskReading> {
  return {
    timeline: await rows<TimelineRow>(TIMELINE),
    serviceChanges: await rows<ServiceChange>(SERVICE_CHANGES),
    timers: await rows<TimerRow>(TIMERS),
    counts: [...(await rows<CountRow>(COUNTS)), ...(await rows<CountRow>(REPORTED))],
    searched: await rows<SearchedRow>(SEARCHED),
    mails: await rows<MailRow>(MAILS),
  };
}

/** Conversations that wait for an assignee, and the connected members who are free. A member who handed one off is not. */
const WAITING = `
  SELECT conversation.id AS "conversationId", member.id AS "memberId"
  FROM conversation
  JOIN channel ON channel.workspace_id = conversation.workspace_id AND channel.id = conversation.channel_id
  JOIN member ON member.workspace_id = conversation.workspace_id AND member.id = ANY($2)
  WHERE conversation.workspace_id = ANY($1) AND conversation.status = 'open' AND control = 'human'
    AND assignee_id IS NULL AND routing ->> 'mode' <> 'manual'
    AND member.status = 'active' AND availability = 'online'
    AND (channel_ids IS NULL OR channel.id = ANY(channel_ids))
    AND capacity > (
      SELECT count(*) FROM conversation AS served
      WHERE served.workspace_id = member.workspace_id AND served.assignee_id = member.id AND served.status = 'open')
    AND NOT EXISTS (
      SELECT FROM message
      WHERE message.conversation_id = conversation.id AND content_type = 'event'
        AND metadata ->> 'event' = 'handed_over' AND metadata #>> '{actor,id}' = member.id::text)`;

/** @param connectedIds members whose sockets are open */
export async function readWaiting(
  client: Client,
  workspaceIds: readonly string[],
  connectedIds: readonly string[],
): Promise<{ conversationId: string; memberId: string }[]> {
  return (await client.query<{ conversationId: string; memberId: string }>(WAITING, [workspaceIds, connectedIds])).rows;
}
