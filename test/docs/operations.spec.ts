import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';

/** The roles' settings, as the SQL snippets of the document write them. */
const settings = [
  ...readFileSync('docs/OPERATIONS.md', 'utf8').matchAll(/^ *ALTER ROLE (\w+) SET (\w+) = '?(\w+)'?;$/gm),
].map(([statement, role = '', name = '', value = '']) => ({ statement, role, name, value }));
const roles = [...new Set(settings.map(({ role }) => role))];

describe('The roles in the operations guide', () => {
  const password = randomBytes(12).toString('hex');
  /** Roles belong to the whole cluster, so each run has its own. */
  const ownName = (role: string) => `${role}_${password.slice(0, 8)}`;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await cloneDatabase();
    for (const role of roles) await database.query(`CREATE ROLE ${ownName(role)} LOGIN PASSWORD '${password}'`);
  });
  afterAll(async () => {
    for (const role of roles) await database.query(`DROP ROLE ${ownName(role)}`);
    await database.drop();
  });

  it('The guide sets limits for the role of the service and for other applications.', () => {
    expect(roles).toEqual(['support_chat', 'other_app']);
  });

  it.each(settings)('PostgreSQL accepts and applies: $statement', async ({ statement, role, name, value }) => {
    await database.query(statement.replace(role, ownName(role)));
    const url = new URL(database.url);
    Object.assign(url, { username: ownName(role), password });
    const session = new Client({ connectionString: url.href });
    await session.connect();
    try {
      const { rows } = await session.query<Record<string, string>>(`SHOW ${name}`);
      expect(rows).toEqual([{ [name]: value }]);
    } finally {
      await session.end();
    }
  });
});
