import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Desk } from '../support/world.js';
import { PASSWORD, World } from '../support/world.js';

/** What differs between two registrations. */
const DISTINCT: [RegExp, string][] = [
  [/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'id'],
  [/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, 'time'],
  [/owner-\d+-[\da-f]{8}/g, 'email'],
  [/Desk-\d+-[\da-f]{8}/g, 'name'],
  [/wt_\w{32}/g, 'widget token'],
  [/"(refresh_hash|password_hash|identity_secret|request_id)": ?"[^"]+"/g, '$1'],
];

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** Every row of the workspace and of its owner, by table, without what is distinct. */
async function rowsOf({ workspaceId, owner }: Desk): Promise<Record<string, string[]>> {
  const tables = await world.app.database.query<{ name: string; key: string }>(
    `SELECT c.relname AS name, a.attname AS key FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
       AND (a.attname = 'workspace_id' OR (c.relname, a.attname) IN (('workspace', 'id'), ('user_account', 'email')))`,
  );
  const rows: Record<string, string[]> = {};
  for (const { name, key } of tables) {
    const found = await world.app.database.query<{ row: string }>(
      `SELECT row_to_json(t)::text AS row FROM ${name} t WHERE ${key} = $1`,
      [key === 'email' ? owner.email : workspaceId],
    );
    if (found.length > 0) rows[name] = found.map(({ row }) => plain(row)).sort();
  }
  return rows;
}

function plain(row: string): string {
  return DISTINCT.reduce((text, [what, name]) => text.replace(what, name), row);
}

it('A copied workspace has the rows of a registered one, but no events', async () => {
  const { event, audit_entry, ...rows } = await rowsOf(await world.register());
  expect(event).toHaveLength(4);
  expect(await rowsOf(await world.desk())).toEqual(rows);
});

it('A copied workspace shares no id, token or secret with another one', async () => {
  const desks = [await world.desk(), await world.desk(), await world.desk()];
  const of = (read: (desk: Desk) => string) => new Set(desks.map(read)).size;
  expect(of(desk => desk.workspaceId)).toBe(3);
  expect(of(desk => desk.owner.memberId)).toBe(3);
  expect(of(desk => desk.channelId)).toBe(3);
  expect(of(desk => desk.widgetToken)).toBe(3);
  const secrets = await world.app.database.query<{ count: number }>(
    'SELECT count(DISTINCT identity_secret)::int AS count FROM channel',
  );
  expect(secrets[0]?.count).toBeGreaterThanOrEqual(3);
});

it('The owner of a copied workspace refreshes the session, logs in and serves a visitor', async () => {
  const desk = await world.desk();
  const { email, refreshToken } = desk.owner;
  const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: refreshToken });
  const session = await world.anyone.post('/v1/auth/login', { email, password: PASSWORD });
  expect([refreshed.status, session.status]).toEqual([200, 200]);
  expect(session.data.workspace.name).toBe(desk.workspaceName);
  const { id } = await world.conversation(await world.visitor(desk));
  expect((await desk.owner.api.get(`/v1/conversations/${id}`)).status).toBe(200);
});
