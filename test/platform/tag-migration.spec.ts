import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SCHEMA } from '../../src/app.module.js';
import { newId } from '../../src/kernel/ids.js';
import { migrate } from '../../src/platform/database/migrate.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';

const silent = () => undefined;
const all = SCHEMA.migrations as { name: string }[];
const before = all.slice(
  0,
  all.findIndex(({ name }) => name.startsWith('Tags')),
);

describe('The migration of tags', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await emptyDatabase();
  });
  afterEach(() => database.drop());

  it('Tags of conversations become rows, one for all spellings, and the inbox finds and counts them.', async () => {
    await migrate(database.url, { ...SCHEMA, migrations: before as never }, silent);
    const workspaces = [newId(), newId()];
    const channelId = newId();
    const written = [
      [workspaces[0], 1, 'open', ['VIP', 'late', ' vip ']],
      [workspaces[0], 2, 'resolved', ['vip', ' ']],
      [workspaces[0], 3, 'snoozed', []],
      [workspaces[1], 1, 'pending', ['Vip', 'a,b"']],
    ] as const;
    await database.query('SET session_replication_role = replica');
    for (const [workspaceId, number, status, tags] of written) {
      await database.query(
        `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, tags, last_activity_at,
           priority, csat, unread_agents)
         VALUES ($1, $2, $3, $4, $2, $5, false, $6, now(), 'high', '{"score": 4}', 1)`,
        [workspaceId, newId(), number, channelId, status, [...tags]],
      );
    }
    for (const id of workspaces) {
      await database.query(`INSERT INTO workspace (id, name, locale, timezone) VALUES ($1, 'W', 'en', 'UTC')`, [id]);
    }
    await database.query('SET session_replication_role = origin');
    await migrate(database.url, SCHEMA, silent);

    const shown = await database.query<{ number: number; tags: string[] }>(
      'SELECT number, tag_names(workspace_id, tag_ids) AS tags FROM conversation ORDER BY workspace_id, number',
    );
    expect(shown.map(({ tags }) => tags)).toEqual([['VIP', 'late'], ['VIP'], [], ['Vip', 'a,b"']]);
    const tallies = await database.query<{ name: string; count: number }>(
      `SELECT name, count FROM tag_tally JOIN tag ON tag.id = tag_id ORDER BY tag.workspace_id, key`,
    );
    expect(tallies.map(({ name, count }) => [name, count])).toEqual([
      ['late', 1],
      ['VIP', 1],
      ['a,b"', 1],
      ['Vip', 1],
    ]);
    const facets = await database.query<{ kind: string; count: number }>(
      `SELECT split_part(facet, ':', 1) AS kind, count(*)::int AS count FROM conversation_facet GROUP BY 1 ORDER BY 1`,
    );
    expect(facets).toEqual([
      { kind: 'csat', count: 4 },
      { kind: 'priority', count: 4 },
      { kind: 'tag', count: 5 },
      { kind: 'unread', count: 4 },
    ]);
  });
});
