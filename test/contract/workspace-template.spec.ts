import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Desk } from '../support/world.js';
import { PASSWORD, World } from '../support/world.js';

/** Texts that differ between two registrations. */
const DISTINCT: [RegExp, string][] = [
  [/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'id'],
  [/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, 'time'],
  [/(owner|agent)-\d+-[\da-f]{8}/g, 'email'],
  [/Desk-\d+-[\da-f]{8}/g, 'name'],
  [/wt_\w{32}/g, 'widget token'],
  [/"(refresh_hash|password_hash|identity_secret|request_id)": ?"[^"]+"/g, '$1'],
];

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** Every row of the workspace and of its users, by table, without what is distinct. */
async function rowsOf(workspaceId: string): Promise<Record<string, string[]>> {
  const tables = await world.app.database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name = 'workspace_id'`,
  );
  const where = new Map(tables.map(({ name }) => [name, 'workspace_id = $1']));
  where.set('workspace', 'id = $1');
  where.set('user_account', 'id IN (SELECT user_id FROM member WHERE workspace_id = $1)');
  const rows: Record<string, string[]> = {};
  for (const [name, condition] of where) {
    const read = `SELECT row_to_json(t)::text AS row FROM ${name} t WHERE ${condition}`;
    const found = await world.app.database.query<{ row: string }>(read, [workspaceId]);
    if (found.length > 0) rows[name] = found.map(({ row }) => plain(row)).sort();
  }
  return rows;
}

/** The same without events and without what follows from them. */
async function presentRowsOf(workspaceId: string): Promise<Record<string, string[]>> {
  const rows = await rowsOf(workspaceId);
  for (const past of ['event', 'audit_entry']) delete rows[past];
  return rows;
}

function plain(row: string): string {
  return DISTINCT.reduce((text, [what, name]) => text.replace(what, name), row);
}

it('A copied workspace has the rows of a registered one, but no events', async () => {
  const registered = await world.register();
  const copied = await world.desk();
  const rows = await presentRowsOf(registered.workspaceId);
  expect(Object.keys(rows).sort()).toEqual(['bot', 'channel', 'member', 'session', 'user_account', 'workspace']);
  expect(await rowsOf(copied.workspaceId)).toEqual(rows);
});

it('A copied member has the rows of one that a key created, but no events', async () => {
  const [first, second] = [await world.desk(), await world.desk()];
  await world.hire(first, { role: 'admin', name: 'Ada' });
  await world.colleague(second, { role: 'admin', name: 'Ada' });
  const { api_key, ...rows } = await presentRowsOf(first.workspaceId);
  expect(api_key).toHaveLength(1);
  expect(await rowsOf(second.workspaceId)).toEqual(rows);
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
  expect(session.data.workspace.id).toBe(desk.workspaceId);
  const { id } = await world.conversation(await world.visitor(desk));
  expect((await desk.owner.api.get(`/v1/conversations/${id}`)).status).toBe(200);
});
