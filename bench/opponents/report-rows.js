import { withClient } from '../database.js';

/**
 * Fills the facts of 90 days of conversations in the database, because to play a million would take an hour. The desk is
 * open ten hours a day, each channel is served by two members, and half of the conversations have one of twenty tags.
 */

export const DAYS = 90;
const OPEN_HOURS = 10;
const TAGS = 20;
const NIL = '00000000-0000-0000-0000-000000000000';
const SPANS = [15, 60, 360, 1_440];
const HISTOGRAM = ms => `('1' || repeat('0', 8 * (1 + floor(ln(${ms}) / ln(1.1)))::int))::numeric`;

/** One row for each conversation: when it began, was answered and resolved, in milliseconds, with log-normal waits. */
const TALKS = `
  CREATE UNLOGGED TABLE bench_talk AS
  SELECT channel_id, member_id, tag_id, begun, answer_ms, resolve_ms, score,
         begun + answer_ms * interval '1 millisecond' AS answered, begun + resolve_ms * interval '1 millisecond' AS resolved
  FROM (
    SELECT ($3::uuid[])[channel] AS channel_id, ($4::uuid[])[1 + (channel + number / 7) % 2] AS member_id,
           CASE WHEN random() < 0.5 THEN ($5::uuid[])[1 + floor(random() * ${TAGS})::int] ELSE '${NIL}' END AS tag_id,
           date_trunc('day', now()) - (1 + floor(random() * ${DAYS - 1})) * interval '1 day'
             + interval '8 hours' + random() * interval '${OPEN_HOURS} hours' AS begun,
           round(exp(11 + 1.5 * random_normal()))::bigint AS answer_ms,
           round(exp(14 + 2 * random_normal()))::bigint AS resolve_ms,
           CASE WHEN random() < 0.3 THEN 1 + floor(random() * 5)::int END AS score
    FROM generate_series(1, $2::int) AS number
    CROSS JOIN LATERAL (SELECT 1 + floor(random() * cardinality($3::uuid[]))::int + 0 * number AS channel) AS chosen
  ) AS talk WHERE $1::uuid IS NOT NULL`;

/** The acts of the conversations, by time. */
const ACTS = `
  SELECT channel_id, member_id, tag_id, act.* FROM bench_talk CROSS JOIN LATERAL (VALUES
    (begun, false, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0::bigint, 0::bigint, 0::numeric, 0::numeric),
    (answered, true, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, answer_ms, 0, ${HISTOGRAM('answer_ms')}, 0),
    (resolved, true, 0, 1, 0, 0, (score = 1)::int, (score = 2)::int, (score = 3)::int, (score = 4)::int,
     (score = 5)::int, 0, 0, resolve_ms, 0, ${HISTOGRAM('resolve_ms')})
  ) AS act (at, of_member, created, resolved, messages_in, messages_out, csat_1, csat_2, csat_3, csat_4, csat_5,
            first_response_count, first_response_ms, resolution_ms, first_response_bins, resolution_bins)`;
const COUNTS = ['created', 'resolved', 'messages_in', 'messages_out', 'csat_1', 'csat_2', 'csat_3', 'csat_4', 'csat_5'];
const SUMS = [...COUNTS, 'first_response_count', 'first_response_ms', 'resolution_ms'];
const sum = name => `coalesce(sum(${name}), 0)`;

const FACTS = `
  INSERT INTO report_fact (workspace_id, member_id, tag_id, span, at, channel_id, ${SUMS.join(', ')},
    resolution_count, first_response_business_ms, resolution_business_ms, first_response_bins,
    first_response_business_bins, resolution_bins, resolution_business_bins)
  SELECT $1::uuid, cell.member_id, cell.tag_id, span, date_bin(span * interval '1 minute', at, 'epoch'), channel_id,
    ${SUMS.map(sum).join(', ')}, ${sum('resolved')}, ${sum('first_response_ms')}, ${sum('resolution_ms')},
    ${sum('first_response_bins')}, ${sum('first_response_bins')}, ${sum('resolution_bins')}, ${sum('resolution_bins')}
  FROM (${ACTS}) AS act
  CROSS JOIN LATERAL (VALUES
    ('${NIL}'::uuid, '${NIL}'::uuid, true), (member_id, '${NIL}', of_member),
    ('${NIL}', tag_id, tag_id <> '${NIL}'), (member_id, tag_id, of_member AND tag_id <> '${NIL}')
  ) AS cell (member_id, tag_id, applies)
  CROSS JOIN unnest(ARRAY[${SPANS.join(', ')}]) AS span
  WHERE cell.applies AND at < date_trunc('day', now())
  GROUP BY 1, 2, 3, 4, 5, 6`;

/** @param desk `{workspaceId, channelIds, memberIds}` */
export function fillReports(url, { workspaceId, channelIds, memberIds }, conversations) {
  return withClient(url, async database => {
    const { rows } = await database.query(
      `INSERT INTO tag (workspace_id, id, name, key)
       SELECT $1::uuid, gen_random_uuid(), 'tag ' || number, 'tag ' || number FROM generate_series(1, ${TAGS}) AS number RETURNING id`,
      [workspaceId],
    );
    const tagIds = rows.map(({ id }) => id);
    await database.query(TALKS, [workspaceId, conversations, channelIds, memberIds, tagIds]);
    await database.query(FACTS, [workspaceId]);
    await database.query('DROP TABLE bench_talk');
    await database.query('VACUUM ANALYZE report_fact, report_total');
    const size = await database.query(
      `SELECT count(*)::int AS rows, pg_total_relation_size('report_fact')::bigint AS bytes FROM report_fact`,
    );
    return { facts: size.rows[0].rows, bytes: Number(size.rows[0].bytes) };
  });
}
