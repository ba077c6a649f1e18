import type { Answer, Caller } from './http.js';
import type { Json } from './json.js';
import type { World } from './world.js';

/** Extracts the ticket from a redirect URL. */
export function ticketIn(url: string): string {
  const [, ticket = ''] = url.split('#sso_ticket=');
  if (!ticket.startsWith('sst_')) throw new Error(`no ticket in ${url}`);
  return ticket;
}

/** Issues a ticket for the member with this e-mail. */
export async function ticketFor(key: Caller, email: string, channel_ids?: string[]): Promise<string> {
  const issued = await key.post('/v1/auth/sso/ticket', { email, ...(channel_ids && { channel_ids }) });
  if (issued.status !== 200) throw new Error(`no ticket: ${JSON.stringify(issued.body)}`);
  return ticketIn(issued.data.redirect_url);
}

export function exchange(world: World, ticket: string, body: object = {}): Promise<Answer<Json>> {
  return world.anyone.post('/v1/auth/sso/exchange', { ticket, ...body });
}

/** Signs a member in with an SSO ticket. Returns the session. */
export async function sessionBySso(
  world: World,
  key: Caller,
  email: string,
  channel_ids?: string[],
  body: object = {},
): Promise<Json> {
  const answer = await exchange(world, await ticketFor(key, email, channel_ids), body);
  if (answer.status !== 200) throw new Error(`no session: ${JSON.stringify(answer.body)}`);
  return answer.data;
}

/** Counts the sessions that a member has started. */
export async function sessionsOf(world: World, memberId: string): Promise<number> {
  const rows = await world.app.database.query('SELECT 1 FROM session WHERE member_id = $1', [memberId]);
  return rows.length;
}

/** Events of one type in the workspace's log, oldest first. */
export async function loggedOf(world: World, workspaceId: string, type: string): Promise<Json[]> {
  const sql = `SELECT actor, payload, address FROM event WHERE workspace_id = $1 AND type = $2 ORDER BY position`;
  return world.app.database.query(sql, [workspaceId, type]);
}
