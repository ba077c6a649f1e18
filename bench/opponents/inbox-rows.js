import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withClient } from '../database.js';
import { random } from '../measure/statistics.js';

/**
 * An inbox of any size, as two years leave it behind: written past the service, by COPY, for a million conversations
 * would take it an hour. Whatever else is in the workspace the service has made itself.
 */

const SPAN_MS = 2 * 365 * 86_400_000;
/** The last activity is at most so long after the beginning, so that the two are not one order. */
const TALKED_MS = 5 * 86_400_000;
const TEXT = 'Thank you for waiting; the parcel is on its way.';
/** Rows of one write. */
const PORTION = 1_000;

/** The tables that lists read, their columns, and what these hold of one talk. What is not named has its default. */
const TABLES = {
  contact: {
    workspace_id: talk => talk.workspaceId,
    id: talk => talk.contactId,
    name: talk => `Contact ${talk.number}`,
    email: talk => talk.email,
    created_at: talk => talk.begun,
    updated_at: talk => talk.begun,
  },
  conversation: {
    workspace_id: talk => talk.workspaceId,
    id: talk => talk.id,
    number: talk => talk.number,
    channel_id: talk => talk.channelId,
    contact_id: talk => talk.contactId,
    status: talk => talk.status,
    assignee_id: talk => talk.assigneeId,
    single: () => 't',
    waiting_since: talk => (talk.status === 'open' ? talk.active : null),
    last_message: talk => talk.message,
    last_public_message: talk => talk.message,
    last_activity_at: talk => talk.active,
    last_seq: () => 4,
    last_public_seq: () => 4,
    resolved_at: talk => (talk.status === 'resolved' ? talk.active : null),
    created_at: talk => talk.begun,
    updated_at: talk => talk.active,
  },
};

/**
 * @param place `{workspaceId, channelIds, memberIds}`
 * @param folder that PostgreSQL may enter
 */
export async function fillInbox(url, place, count, folder) {
  const files = Object.fromEntries(Object.keys(TABLES).map(table => [table, join(folder, `${table}.copy`)]));
  try {
    await write(files, talks(place, count));
    await Promise.all(Object.keys(TABLES).map(table => withClient(url, client => fill(client, table, files[table]))));
  } finally {
    for (const file of Object.values(files)) await rm(file, { force: true });
  }
  await withClient(url, async client => {
    await client.query(
      `INSERT INTO conversation_counter (workspace_id, last_number) VALUES ($1, $2)
       ON CONFLICT (workspace_id) DO UPDATE SET last_number = excluded.last_number`,
      [place.workspaceId, count],
    );
    await client.query('CHECKPOINT');
  });
}

async function fill(client, table, file) {
  // foreign keys are right by the way that rows are made; indexes are made faster at once than row by row
  await client.query(`SET session_replication_role = replica; SET maintenance_work_mem = '256MB'`);
  const indexes = await dropIndexes(client, table);
  await client.query(`COPY ${table} (${Object.keys(TABLES[table]).join(', ')}) FROM '${file}'`);
  for (const { indexdef } of indexes) await client.query(indexdef);
  // the vacuum comes now, and not while it is measured
  await client.query(`VACUUM (ANALYZE) ${table}`);
}

export function emailOf(number) {
  return `contact-${number}@example.com`;
}

async function dropIndexes(client, table) {
  const { rows } = await client.query(
    `SELECT indexname, indexdef FROM pg_indexes
     WHERE schemaname = 'public' AND tablename = $1 AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    [table],
  );
  for (const { indexname } of rows) await client.query(`DROP INDEX ${client.escapeIdentifier(indexname)}`);
  return rows;
}

function* talks({ workspaceId, channelIds, memberIds }, count) {
  const next = random(count);
  const since = Date.UTC(2024, 0, 1);
  const one = list => list[Math.floor(next() * list.length)];
  for (let number = 1; number <= count; number += 1) {
    const begunMs = since + Math.floor((number * SPAN_MS) / count);
    const id = idOf(begunMs, number);
    const active = new Date(begunMs + Math.floor(next() * TALKED_MS)).toISOString();
    yield {
      workspaceId,
      number,
      // of another table each, so that one id does for all of them
      id,
      contactId: id,
      email: emailOf(number),
      channelId: one(channelIds),
      assigneeId: next() < 0.5 ? one(memberIds) : null,
      status: statusOf(next()),
      begun: new Date(begunMs).toISOString(),
      active,
      message: `{"id":"${id}","preview":"${TEXT}","sender_type":"agent","created_at":"${active}"}`,
    };
  }
}

/** Of a hundred conversations twenty are not over. */
function statusOf(part) {
  if (part < 0.12) return 'open';
  if (part < 0.17) return 'pending';
  return part < 0.2 ? 'snoozed' : 'resolved';
}

/** A UUIDv7 of that time. */
function idOf(ms, number) {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Every table's rows, as COPY reads them; nothing here holds a tab, a newline or a backslash. */
async function write(files, rows) {
  const tables = [];
  try {
    for (const [table, columns] of Object.entries(TABLES)) {
      tables.push({ handle: await open(files[table], 'w'), cells: Object.values(columns), text: '' });
    }
    let held = 0;
    for (const row of rows) {
      for (const table of tables) table.text += `${table.cells.map(cell => cell(row) ?? '\\N').join('\t')}\n`;
      held += 1;
      if (held % PORTION === 0) await flush(tables);
    }
    await flush(tables);
  } finally {
    for (const { handle } of tables) await handle.close();
  }
}

async function flush(tables) {
  for (const table of tables) {
    await table.handle.write(table.text);
    table.text = '';
  }
}
