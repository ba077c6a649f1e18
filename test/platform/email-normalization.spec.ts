import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SCHEMA } from '../../src/app.module.js';
import { newId } from '../../src/kernel/ids.js';
import { migrate } from '../../src/platform/database/migrate.js';
import type { TestDatabase } from '../support/database.js';
import { emptyDatabase } from '../support/database.js';

const all = SCHEMA.migrations as { name: string }[];
const index = all.findIndex(({ name }) => name.startsWith('EmailForm'));
const before = { ...SCHEMA, migrations: all.slice(0, index) as never };
const through = { ...SCHEMA, migrations: all.slice(0, index + 1) as never };
const silent = () => undefined;

const STORED = 'ada@xn--bcher-kva.example';
const HASH = `$2b$12$${'a'.repeat(53)}`;

describe('The migration that normalises e-mail addresses', () => {
  let database: TestDatabase;
  let workspaces: string[];
  beforeEach(async () => {
    database = await emptyDatabase();
    await migrate(database.url, before, silent);
    workspaces = [newId(), newId()];
    for (const id of workspaces) await database.query(`INSERT INTO workspace (id, name) VALUES ($1, 'Desk')`, [id]);
  });
  afterEach(() => database.drop());

  async function user(email: string, hash: string | null, days: number): Promise<string> {
    const id = newId();
    await database.query(
      `INSERT INTO user_account (id, email, name, password_hash, created_at)
       VALUES ($1, $2, 'Ada', $3, timestamptz '2026-01-01' + $4 * interval '1 day')`,
      [id, email, hash, days],
    );
    return id;
  }

  async function member(workspace: number, userId: string, role: string, claimed = false): Promise<string> {
    const id = newId();
    await database.query(
      `INSERT INTO member (workspace_id, id, user_id, name, role, claimed) VALUES ($1, $2, $3, 'Ada', $4, $5)`,
      [workspaces[workspace], id, userId, role, claimed],
    );
    await database.query(
      `INSERT INTO session (workspace_id, id, family_id, member_id, user_id, workspace_bound, rotate, refresh_hash, expires_at)
       VALUES ($1, $2, $2, $3, $4, false, false, 'x', now() + interval '1 day')`,
      [workspaces[workspace], newId(), id, userId],
    );
    return id;
  }

  const users = () =>
    database.query(`SELECT id, email, password_hash AS hash FROM user_account ORDER BY created_at, email`);
  const members = () =>
    database.query(`SELECT member.id, email, claimed, role FROM member JOIN user_account ON user_account.id = user_id
                    ORDER BY member.id`);

  it('The migration normalises the address of a single user and keeps its password and sessions.', async () => {
    const id = await user('ada@bÜcher.example', HASH, 1);
    await member(0, id, 'agent', true);
    const other = await user('bo@example.com', HASH, 2);
    await migrate(database.url, through, silent);
    expect(await users()).toEqual([
      { id, email: STORED, hash: HASH },
      { id: other, email: 'bo@example.com', hash: HASH },
    ]);
    expect(await database.query('SELECT 1 FROM session WHERE ended_at IS NULL')).toHaveLength(1);
  });

  it('The migration merges users with three spellings of one address: the oldest keeps all memberships and the only password.', async () => {
    const [oldest, second, third] = [
      await user('ada@bücher.example', null, 1),
      await user('ada@bÜcher.example', HASH, 2),
      await user(STORED, null, 3),
    ];
    const [first, other] = [await member(0, oldest, 'agent'), await member(1, second, 'owner', true)];
    await database.query(
      `INSERT INTO password_reset (id, user_id, token_hash, expires_at) VALUES ($1, $2, 'x', now())`,
      [newId(), third],
    );
    await migrate(database.url, through, silent);
    expect(await users()).toEqual([{ id: oldest, email: STORED, hash: HASH }]);
    expect(await members()).toEqual([
      { id: first, email: STORED, claimed: false, role: 'agent' },
      { id: other, email: STORED, claimed: true, role: 'owner' },
    ]);
    expect(await database.query('SELECT 1 FROM session WHERE ended_at IS NULL')).toEqual([]);
  });

  it('The migration sets an unusable password if two merged users had one.', async () => {
    const otherHash = `$2b$12$${'b'.repeat(53)}`;
    const oldest = await user('ada@bücher.example', HASH, 1);
    await member(0, oldest, 'owner', true);
    await member(1, await user(STORED, otherHash, 2), 'owner', true);
    await migrate(database.url, through, silent);
    const [kept] = await database.query<{ hash: string }>('SELECT password_hash AS hash FROM user_account');
    expect(kept?.hash).toMatch(/^\$2b\$12\$[./A-Za-z0-9]{53}$/);
    expect([HASH, otherHash]).not.toContain(kept?.hash);
    expect((await members()).map(row => (row as { claimed: boolean }).claimed)).toEqual([true, true]);
  });

  it('The migration keeps the member with the higher role if both belong to one workspace, and gives the other an unusable address.', async () => {
    const [agent, owner] = [await user('ada@bücher.example', null, 1), await user(STORED, HASH, 2)];
    const [lower, higher] = [await member(0, agent, 'agent'), await member(0, owner, 'owner', true)];
    await migrate(database.url, through, silent);
    expect(await members()).toEqual([
      { id: lower, email: `${lower}@duplicate.invalid`, claimed: false, role: 'agent' },
      { id: higher, email: STORED, claimed: true, role: 'owner' },
    ]);
  });

  it('The migration normalises invites and contacts, and revokes all but the newest pending invite to an address.', async () => {
    const invite = (workspace: number, email: string, status: string, days: number) =>
      database.query(
        `INSERT INTO invite (workspace_id, id, email, role, status, token_hash, expires_at)
         VALUES ($1, $2::uuid, $3, 'agent', $4, $2::uuid::text, timestamptz '2026-01-01' + $5 * interval '1 day')`,
        [workspaces[workspace], newId(), email, status, days],
      );
    await invite(0, 'ada@bücher.example', 'pending', 2);
    await invite(0, STORED, 'pending', 1);
    await invite(0, 'ada@bÜcher.example', 'pending', 3);
    await invite(0, 'ada@bücher.example', 'accepted', 4);
    await invite(1, 'ada@bücher.example', 'pending', 5);
    await invite(1, STORED, 'pending', 6);
    for (const email of ['ada@bücher.example', 'bo@example.com', null]) {
      await database.query(`INSERT INTO contact (workspace_id, id, email) VALUES ($1, $2, $3)`, [
        workspaces[0],
        newId(),
        email,
      ]);
    }
    await migrate(database.url, through, silent);
    expect(await database.query('SELECT email, status FROM invite ORDER BY expires_at')).toEqual(
      ['revoked', 'revoked', 'pending', 'accepted', 'revoked', 'pending'].map(status => ({ email: STORED, status })),
    );
    expect(await database.query('SELECT email FROM contact ORDER BY email')).toEqual([
      { email: STORED },
      { email: 'bo@example.com' },
      { email: null },
    ]);
  });

  it('After the migration, the database rejects a user with an address that is not normalised.', async () => {
    await migrate(database.url, through, silent);
    await expect(user('ada@bücher.example', null, 1)).rejects.toThrow('ck_user_account_email');
  });
});
