import { withClient } from '../database.js';
import { random } from '../measure/statistics.js';
import { copyRows, idOf } from './copy-rows.js';

/**
 * Fills an inbox of any size with two years of conversations by COPY, because creating a million through the service
 * would take an hour. The service itself creates everything else in the workspace.
 */

const SPAN_MS = 2 * 365 * 86_400_000;
/** Maximum time between start and last activity, so that the two orders differ. */
const ACTIVE_MS = 5 * 86_400_000;
/** Tags by how many conversations have them: a tenth, a hundredth of which all are old, and forty. */
const TAGS = {
  common: { id: '01960000-0000-7000-9000-000000000001', isOn: number => number % 10 === 0 },
  old: {
    id: '01960000-0000-7000-9000-000000000002',
    isOn: (number, count) => number % 10 === 5 && number < count / 10,
  },
  rare: { id: '01960000-0000-7000-9000-000000000003', isOn: (number, count) => number % Math.ceil(count / 40) === 7 },
};
/** One of so many conversations of a participant has a mention of it, of which all but one of so many are read. */
const MENTIONED = 20;
const READ = 50;
/** Shares in percent. */
const SHARES = { urgent: 1, high: 4, rated: 10, worst: 0.2, unread: 2 };
const TEXT = 'Thank you for waiting; the parcel is on its way.';

/** Tables that lists read, with their columns and values. Other columns keep their defaults. */
const TABLES = {
  contact: {
    workspace_id: row => row.workspaceId,
    id: row => row.contactId,
    name: row => `Contact ${row.number}`,
    email: row => row.email,
    created_at: row => row.begun,
    updated_at: row => row.begun,
  },
  conversation: {
    workspace_id: row => row.workspaceId,
    id: row => row.id,
    number: row => row.number,
    channel_id: row => row.channelId,
    contact_id: row => row.contactId,
    status: row => row.status,
    assignee_id: row => row.assigneeId,
    priority: row => row.priority,
    tag_ids: row => `{${row.tagIds.join(',')}}`,
    csat: row => row.score && `{"score":${row.score},"comment":null,"rated_at":"${row.active}"}`,
    unread_agents: row => (row.unread ? 1 : 0),
    single: () => 't',
    waiting_since: row => (row.status === 'open' ? row.active : null),
    last_message: row => row.message,
    last_public_message: row => row.message,
    last_activity_at: row => row.active,
    last_seq: () => 4,
    last_public_seq: () => 4,
    resolved_at: row => (row.status === 'resolved' ? row.active : null),
    created_at: row => row.begun,
    updated_at: row => row.active,
  },
};

/**
 * @param ids `{workspaceId, channelIds, memberIds}`
 * @param folder that PostgreSQL can access
 */
export async function fillInbox(url, ids, count, folder) {
  await copyRows(url, TABLES, conversations(ids, count), folder);
  await withClient(url, async client => {
    await client.query(
      `INSERT INTO conversation_counter (workspace_id, last_number) VALUES ($1, $2)
       ON CONFLICT (workspace_id) DO UPDATE SET last_number = excluded.last_number`,
      [ids.workspaceId, count],
    );
    await fillFacets(client, ids.workspaceId);
    await fillParticipants(client, ids);
    await client.query('VACUUM (ANALYZE) conversation_facet');
    await client.query('CHECKPOINT');
  });
}

/** Writes the tags, and the table of facets that the service writes with each change of a conversation. */
async function fillFacets(client, workspaceId) {
  const names = Object.keys(TAGS);
  await client.query(
    'INSERT INTO tag (workspace_id, id, name, key) SELECT $1, id, name, name FROM unnest($2::uuid[], $3::text[]) AS tag (id, name)',
    [workspaceId, names.map(name => TAGS[name].id), names],
  );
  await client.query(
    `INSERT INTO conversation_facet (workspace_id, facet, conversation_id, active_at)
     SELECT workspace_id, facet, id, last_activity_at FROM conversation CROSS JOIN LATERAL unnest(
       ARRAY(SELECT 'tag:' || tag_id FROM unnest(tag_ids) AS tag_id)
         || CASE WHEN priority <> 'none' THEN ARRAY['priority:' || priority] END
         || CASE WHEN csat IS NOT NULL THEN ARRAY['csat:' || (csat ->> 'score')] END
         || CASE WHEN unread_agents > 0 THEN ARRAY['unread'] END) AS facet
     ORDER BY 1, 2, 3`,
  );
  await client.query('ANALYZE tag');
}

/** Every conversation has one participant. */
async function fillParticipants(client, { workspaceId, memberIds }) {
  await client.query(
    `INSERT INTO participant (workspace_id, member_id, conversation_id, wrote_at, mentioned_seq, looked_seq)
     SELECT workspace_id, ($2::uuid[])[1 + number % $3], id, created_at,
            CASE WHEN number / $3 % ${MENTIONED} = 0 THEN 1 END, (number / $3 / ${MENTIONED} % ${READ} > 0)::int
     FROM conversation WHERE workspace_id = $1 ORDER BY id`,
    [workspaceId, memberIds, memberIds.length],
  );
  await client.query(
    `INSERT INTO conversation_facet (workspace_id, facet, conversation_id, active_at)
     SELECT workspace_id, facet, conversation_id, last_activity_at FROM participant
       JOIN (SELECT id AS conversation_id, last_activity_at FROM conversation) AS conversation USING (conversation_id)
       CROSS JOIN LATERAL unnest(ARRAY['participant:' || member_id]
         || CASE WHEN mentioned_seq IS NOT NULL THEN ARRAY['mentioned:' || member_id] END) AS facet
     WHERE workspace_id = $1`,
    [workspaceId],
  );
  await client.query('VACUUM (ANALYZE) participant');
}

export function emailOf(number) {
  return `contact-${number}@example.com`;
}

function* conversations({ workspaceId, channelIds, memberIds }, count) {
  const next = random(count);
  const since = Date.UTC(2024, 0, 1);
  const one = list => list[Math.floor(next() * list.length)];
  for (let number = 1; number <= count; number += 1) {
    const begunMs = since + Math.floor((number * SPAN_MS) / count);
    const id = idOf(begunMs, number);
    const active = new Date(begunMs + Math.floor(next() * ACTIVE_MS)).toISOString();
    yield {
      workspaceId,
      number,
      // contact and conversation are different tables, so they can share the id
      id,
      contactId: id,
      email: emailOf(number),
      channelId: one(channelIds),
      assigneeId: next() < 0.5 ? one(memberIds) : null,
      status: statusOf(next()),
      priority: priorityOf(next() * 100),
      score: scoreOf(next() * 100),
      unread: next() * 100 < SHARES.unread,
      tagIds: Object.values(TAGS)
        .filter(({ isOn }) => isOn(number, count))
        .map(({ id }) => id),
      begun: new Date(begunMs).toISOString(),
      active,
      message: `{"id":"${id}","preview":"${TEXT}","sender_type":"agent","created_at":"${active}"}`,
    };
  }
}

/** Twenty of a hundred conversations are unresolved. */
function statusOf(part) {
  if (part < 0.12) return 'open';
  if (part < 0.17) return 'pending';
  return part < 0.2 ? 'snoozed' : 'resolved';
}

function priorityOf(part) {
  if (part < SHARES.urgent) return 'urgent';
  return part < SHARES.high ? 'high' : 'none';
}

function scoreOf(part) {
  if (part < SHARES.worst) return 1;
  return part < SHARES.rated ? 5 : null;
}
