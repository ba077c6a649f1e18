import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../../kernel/ids.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { EventRange } from '../../platform/events/reading-position.repository.js';
import { IS_IN_RANGE, rangeValues } from '../../platform/events/reading-position.repository.js';
import type { Act, Span } from './fact.js';
import { MEASURES, SPANS, toChanges } from './fact.js';

/** Messages before the time from which the log is counted are found in the tables. */
export const COUNTED_FROM = '(SELECT counted_from FROM report_state)';
/** Hours and days that end at this time or before have rows. */
export const SUMMED_UNTIL = '(SELECT summed_until FROM report_state)';
const KEY = 'workspace_id, member_id, tag_id, span, at, channel_id';
const ALL = MEASURES.map(({ name }) => name);
const [SHORTEST, ...LONGER] = SPANS;
const sumsOf = (measures: readonly string[]): string => measures.map(name => `sum(${name})`).join(', ');
const levelsOf = (spans: readonly Span[]): string =>
  `(VALUES ${spans.map(span => `(${span}, interval '${span} minutes')`).join(', ')}) AS level (span, width)`;

/**
 * Adds changes to the facts of a quarter of an hour, and to those of the hour and day if they have rows already. Rows are
 * sorted, so that transactions lock them in one order.
 * @param changes SQL of a relation with the facts' key, `at` at any time, and these measures
 */
const add = (changes: string, measures: readonly string[]): string => `
  INSERT INTO report_fact (${KEY}, ${measures.join(', ')})
  SELECT workspace_id, member_id, tag_id, level.span, date_bin(level.width, change.at, 'epoch'), channel_id,
         ${sumsOf(measures)}
  FROM ${changes} CROSS JOIN ${levelsOf(SPANS)}
  WHERE level.span = ${SHORTEST} OR date_bin(level.width, change.at, 'epoch') + level.width <= ${SUMMED_UNTIL}
  GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (${KEY}) DO UPDATE SET
    ${measures.map(name => `${name} = report_fact.${name} + excluded.${name}`).join(', ')}`;

/** Sums quarters of an hour up to the hours and days that have ended since it last ran. */
const SUM_UP = statement(`
  WITH passed AS MATERIALIZED (
    SELECT summed_until AS since, date_bin(interval '1 hour', $1::timestamptz, 'epoch') AS until
    FROM report_state WHERE summed_until <= $1::timestamptz - interval '1 hour'
  ),
  moved AS (UPDATE report_state SET summed_until = until FROM passed)
  INSERT INTO report_fact (${KEY}, ${ALL.join(', ')})
  SELECT workspace_id, member_id, tag_id, level.span, date_bin(width, at, 'epoch'), channel_id, ${sumsOf(ALL)}
  FROM passed CROSS JOIN ${levelsOf(LONGER)}
  JOIN report_fact ON report_fact.span = ${SHORTEST}
    AND at >= date_bin(width, since, 'epoch') AND at < date_bin(width, until, 'epoch')
  GROUP BY 1, 2, 3, 4, 5, 6`);

const ADD = statement(
  add(
    `(SELECT workspace_id, member_id, tag_id, at, channel_id,
             ${ALL.map(name => `coalesce(${name}, 0) AS ${name}`).join(', ')}
      FROM json_to_recordset($1) AS given (
        workspace_id uuid, member_id uuid, tag_id uuid, at timestamptz, channel_id uuid,
        ${MEASURES.map(({ name, type }) => `${name} ${type}`).join(', ')})) AS change`,
    ALL,
  ),
);

/**
 * Counts public messages, with the tags that their conversations have now.
 * @param messages SQL of a relation with the columns workspace_id, channel_id, conversation_id, sender_type, sender_id, at
 */
const addMessages = (messages: string): string => `
  WITH sent AS MATERIALIZED (
    SELECT workspace_id, channel_id, conversation_id, date_bin(interval '15 minutes', at, 'epoch') AS at,
           CASE sender_type WHEN 'agent' THEN sender_id END AS sender_id,
           count(*) FILTER (WHERE sender_type = 'contact') AS messages_in,
           count(*) FILTER (WHERE sender_type = 'agent') AS messages_out,
           count(*) FILTER (WHERE sender_type = 'bot') AS bot_messages
    FROM (${messages}) AS message GROUP BY 1, 2, 3, 4, 5
  ),
  change AS (
    SELECT sent.workspace_id, member_id, tag_id, sent.at, sent.channel_id, messages_in, messages_out, bot_messages
    FROM sent JOIN conversation ON conversation.workspace_id = sent.workspace_id AND conversation.id = conversation_id
    CROSS JOIN unnest(array_remove(ARRAY['${NIL_ID}', sender_id]::uuid[], NULL)) AS member_id
    CROSS JOIN unnest('${NIL_ID}'::uuid || tag_ids) AS tag_id
  )
  ${add('change', ['messages_in', 'messages_out', 'bot_messages'])}`;

const ADD_LOGGED_MESSAGES = statement(
  addMessages(`
    SELECT workspace_id, channel_id, conversation_id, message ->> 'sender_type' AS sender_type,
           (message ->> 'sender_id')::uuid AS sender_id, (message ->> 'created_at')::timestamptz AS at
    FROM event CROSS JOIN LATERAL (SELECT payload -> 'message' AS message OFFSET 0) AS sent
    WHERE ${IS_IN_RANGE} AND type = 'message.created' AND message ->> 'content_type' <> 'event'
      AND message -> 'private' = 'false' AND (message ->> 'created_at')::timestamptz >= ${COUNTED_FROM}`),
);
const ADD_STORED_MESSAGES = statement(
  addMessages(`
    SELECT message.workspace_id, channel_id, conversation_id, sender_type, sender_id, message.created_at AS at
    FROM message JOIN conversation ON conversation.workspace_id = $1 AND conversation.id = conversation_id
    WHERE message.workspace_id = $1 AND conversation_id = ANY($2) AND content_type <> 'event' AND NOT private
      AND message.created_at < ${COUNTED_FROM}`),
);
const LOCK = statement(`SELECT pg_advisory_xact_lock(hashtextextended('report_fact', 0))`);

/** Adds to the sums that reports are made of. */
@Injectable()
export class FactsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Waits for other transactions that count, until the unit of work ends: an act must not be counted twice. */
  async lock(): Promise<void> {
    await this.sql.rows(LOCK);
  }

  /** Gives the hours and days that have ended their rows. Does nothing more than once an hour. */
  async sumUp(now: Date): Promise<void> {
    await this.sql.count(SUM_UP, [now]);
  }

  /** @param removed acts that were counted and are taken back */
  async add(acts: readonly Act[], removed: readonly Act[]): Promise<void> {
    const changes = [...acts.flatMap(act => toChanges(act, 1)), ...removed.flatMap(act => toChanges(act, -1))];
    if (changes.length > 0) await this.sql.count(ADD, [JSON.stringify(changes)]);
  }

  /** Counts the messages of a part of the log. They stay in the database. */
  async addLoggedMessages(range: EventRange): Promise<void> {
    await this.sql.count(ADD_LOGGED_MESSAGES, rangeValues(range));
  }

  /** Counts the messages of these conversations that are older than what the log is counted from. */
  async addStoredMessages(workspaceId: string, conversationIds: readonly string[]): Promise<void> {
    await this.sql.count(ADD_STORED_MESSAGES, [workspaceId, conversationIds]);
  }
}
