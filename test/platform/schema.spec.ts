import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { SCHEMA } from '../../src/app.module.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { describeSchema, foreignNames, keysAcrossWorkspaces } from '../support/catalog.js';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase, emptyDatabase } from '../support/database.js';
import { race } from '../support/race.js';

const golden = new URL('./golden/schema.txt', import.meta.url);
const all = SCHEMA.migrations as { name: string }[];
const names = all.map(({ name }) => name);
const silent = () => undefined;

function sourceOf(database: TestDatabase): DataSource {
  return new DataSource(dataSourceOptions({ url: database.url, poolSize: 2, queryTimeoutMs: 0 }, SCHEMA));
}

/** Changes that TypeORM would make to match the tables to the entities. */
async function drift(database: TestDatabase): Promise<string[]> {
  const source = await sourceOf(database).initialize();
  try {
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  } finally {
    await source.destroy();
  }
}

describe('A migrated database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneDatabase();
  });
  afterAll(() => database.drop());

  it('A migrated database matches the entities as far as TypeORM can see.', async () => {
    expect(await drift(database)).toEqual([]);
  });

  /** Review the file like code. To accept a change of the schema, run with GOLDEN=write and read the difference. */
  it('A migrated database matches golden/schema.txt: every column, constraint and index.', async () => {
    const schema = await describeSchema(database);
    if (process.env.GOLDEN === 'write') writeFileSync(golden, schema);
    expect(schema).toBe(readFileSync(golden, 'utf8'));
  });

  it('No foreign key lets a row refer to another workspace.', async () => {
    expect(await keysAcrossWorkspaces(database)).toEqual([]);
  });

  it('Every constraint and index has a name of ours.', async () => {
    expect(await foreignNames(database)).toEqual([]);
  });
});

/** Proves that each check above can fail. */
describe('A database changed by hand', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await cloneDatabase();
  });
  afterEach(() => database.drop());

  it('The drift check finds an extra column.', async () => {
    await database.query('ALTER TABLE contact ADD COLUMN planted text');
    expect(await drift(database)).toEqual([expect.stringMatching(/DROP COLUMN "planted"/)]);
  });

  it.each([
    ['CHECK', `ALTER TABLE message ADD CONSTRAINT ck_message_planted CHECK (seq > 0)`],
    ['expression index', `CREATE INDEX ix_contact_planted ON contact (workspace_id, lower(email))`],
    ['partial index', `CREATE INDEX ix_message_planted ON message (workspace_id) WHERE private`],
    ['missing partial index', `DROP INDEX uq_conversation_unresolved`],
    ['trigger', `CREATE TRIGGER planted BEFORE UPDATE ON bot EXECUTE FUNCTION suppress_redundant_updates_trigger()`],
    ['function', `CREATE FUNCTION planted() RETURNS integer LANGUAGE sql AS 'SELECT 1'`],
    ['view', `CREATE VIEW planted AS SELECT 1 AS one`],
    ['default', `ALTER TABLE channel ALTER COLUMN reopen_window_hours SET DEFAULT 73`],
  ])('The golden schema finds a changed %s.', async (_case, change) => {
    await database.query(change);
    expect(await describeSchema(database)).not.toBe(readFileSync(golden, 'utf8'));
  });

  it('The workspace check finds a foreign key that crosses workspaces.', async () => {
    await database.query('ALTER TABLE bot ADD CONSTRAINT uq_bot_planted UNIQUE (id)');
    await database.query(
      'ALTER TABLE message ADD CONSTRAINT fk_message_planted FOREIGN KEY (sender_id) REFERENCES bot (id)',
    );
    expect(await keysAcrossWorkspaces(database)).toEqual(['fk_message_planted']);
  });

  it('The name check finds names that PostgreSQL generated.', async () => {
    await database.query('ALTER TABLE bot ADD UNIQUE (workspace_id, name)');
    await database.query('CREATE INDEX ON contact (workspace_id, phone)');
    expect(await foreignNames(database)).toEqual(['bot_workspace_id_name_key', 'contact_workspace_id_phone_idx']);
  });
});

describe('Migrations', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await emptyDatabase();
  });
  afterEach(() => database.drop());

  it('Migrations run once when three instances start at once on an empty database.', async () => {
    const ran = await race(3, () => migrate(database.url, SCHEMA, silent));
    expect(ran.flat()).toEqual(names);
    const recorded = await database.query<{ name: string }>('SELECT name FROM migration ORDER BY id');
    expect(recorded.map(({ name }) => name)).toEqual(names);
    expect(await database.query('SELECT one FROM event_log')).toHaveLength(1);
  });

  it('Migrations log what they did and do nothing the second time.', async () => {
    const lines: string[] = [];
    await migrate(database.url, SCHEMA, line => lines.push(line));
    expect(lines).toEqual(names.map(name => `migrated: ${name}`));
    expect(await migrate(database.url, SCHEMA, line => lines.push(line))).toEqual([]);
    expect(lines).toHaveLength(names.length);
  });

  it('Migrations continue where pg_trgm may not be installed, without the search index.', async () => {
    const role = `narrow_${randomBytes(4).toString('hex')}`;
    const narrow = new URL(database.url);
    Object.assign(narrow, { username: role, password: randomBytes(12).toString('hex') });
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD '${narrow.password}'`);
    await database.query(`GRANT ALL ON SCHEMA public TO ${role}`);
    try {
      expect(await migrate(narrow.href, SCHEMA, silent)).toEqual(names);
      const found = `SELECT FROM pg_class WHERE relname IN ('ix_contact_search', 'ix_contact_merged_into')`;
      expect(await database.query(found)).toHaveLength(1);
      expect(await drift(database)).toEqual([]);
    } finally {
      await database.query(`DROP OWNED BY ${role}`);
      await database.query(`DROP ROLE ${role}`);
    }
  });

  it('Undoing all migrations leaves nothing behind, and they can run again.', async () => {
    await migrate(database.url, SCHEMA, silent);
    const source = await sourceOf(database).initialize();
    try {
      for (const _ of names) await source.undoLastMigration({ transaction: 'each' });
    } finally {
      await source.destroy();
    }
    expect(await describeSchema(database)).toBe('');
    await migrate(database.url, SCHEMA, silent);
    expect(await describeSchema(database)).toBe(readFileSync(golden, 'utf8'));
  });

  it('Migrations have no statement timeout and wait for those of another instance.', async () => {
    const connects = jest.spyOn(Client.prototype, 'connect');
    try {
      await migrate(database.url, SCHEMA, silent);
      const clients = connects.mock.contexts as unknown as { connectionParameters: { query_timeout: unknown } }[];
      expect(clients.length).toBeGreaterThan(1);
      for (const { connectionParameters } of clients) expect(connectionParameters.query_timeout).toBeFalsy();
    } finally {
      connects.mockRestore();
    }
  });

  it('A failing migration changes nothing and reports why.', async () => {
    const failing = {
      ...SCHEMA,
      migrations: [
        ...all,
        class Planted9999999999999 {
          name = 'Planted9999999999999';
          async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
            await runner.query('CREATE TABLE planted (id uuid)');
            await runner.query('SELECT nonsense');
          }
          down(): Promise<void> {
            return Promise.resolve();
          }
        },
      ] as never,
    };
    await expect(migrate(database.url, failing, silent)).rejects.toThrow('column "nonsense" does not exist');
    expect(await describeSchema(database)).toBe(readFileSync(golden, 'utf8'));
    expect(await migrate(database.url, SCHEMA, silent)).toEqual([]);
  });
});
