import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SCHEMA } from '../../src/app.module.js';
import { newId } from '../../src/kernel/ids.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

const MESSAGES = 20;
const all = SCHEMA.migrations as { name: string }[];
const before = all.slice(
  0,
  all.findIndex(({ name }) => name.startsWith('ActivityPeriods')),
);
const silent = () => undefined;

describe('The activity period of a conversation', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await emptyDatabase();
  });
  afterEach(() => database.drop());

  const insert = (at: string) =>
    database.query(
      `INSERT INTO conversation (workspace_id, id, number, channel_id, contact_id, status, single, last_activity_at)
       VALUES ($1, $1, 1, $1, $1, 'open', false, $2)`,
      [newId(), at],
    );
  const periods = async () => {
    const rows = await database.query<{ at: string; period: string }>(
      `SELECT last_activity_at AS at, activity_period AS period FROM conversation ORDER BY at`,
    );
    return rows.map(({ at, period }) => [new Date(at).toISOString(), new Date(period).toISOString()]);
  };

  it('The database keeps the five seconds of the last activity, for rows of every origin.', async () => {
    await migrate(database.url, { ...SCHEMA, migrations: before as never }, silent);
    // rows that replication or a bulk load writes
    await database.query('SET session_replication_role = replica');
    await insert('2026-01-01T00:00:04.999Z');
    await migrate(database.url, SCHEMA, silent);
    await insert('2026-01-01T00:00:05.000Z');
    await insert('1999-12-31T23:59:59.999Z');
    expect(await periods()).toEqual([
      ['1999-12-31T23:59:59.999Z', '1999-12-31T23:59:55.000Z'],
      ['2026-01-01T00:00:04.999Z', '2026-01-01T00:00:00.000Z'],
      ['2026-01-01T00:00:05.000Z', '2026-01-01T00:00:05.000Z'],
    ]);
    await database.query(`UPDATE conversation SET last_activity_at = last_activity_at + interval '7 seconds'`);
    expect(await periods()).toEqual([
      ['2000-01-01T00:00:06.999Z', '2000-01-01T00:00:05.000Z'],
      ['2026-01-01T00:00:11.999Z', '2026-01-01T00:00:10.000Z'],
      ['2026-01-01T00:00:12.000Z', '2026-01-01T00:00:10.000Z'],
    ]);
  });
});

describe('Messages of a lively conversation', () => {
  it('Most messages change no index of their conversation.', async () => {
    const { query } = world.app.database;
    const updates = async () => {
      const [row] = await query<{ all: string; hot: string }>(
        `SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'conversation'`,
      );
      return { all: Number(row?.all), hot: Number(row?.hot) };
    };
    const { id } = await world.conversation(await world.visitor(desk));
    const started = await updates();
    // each connection publishes its statistics with a statement, once a second
    const counted = await eventually(async () => {
      await delay(30);
      expect((await owner.post(`/v1/conversations/${id}/messages`, { content: 'Still here' })).status).toBe(201);
      const now = await updates();
      return now.all - started.all >= MESSAGES ? now : undefined;
    });
    expect(counted.hot - started.hot).toBeGreaterThan((counted.all - started.all) / 2);
  });
});
