import type { Answer, Caller } from './http.js';
import type { Json } from './json.js';
import type { Desk, World } from './world.js';
import { PASSWORD, unique } from './world.js';

/** Extracts the token from an invite link. */
export function tokenIn(link: string): string {
  const token = new URL(link).hash.replace('#invite=', '');
  if (!token.startsWith('inv_')) throw new Error(`no invite token in ${link}`);
  return token;
}

/** Returns a unique e-mail address. */
export function someEmail(): string {
  return `${unique('guest')}@example.com`;
}

/** Creates an invite as the desk's owner, or as `by`. Returns it with its token. */
export async function invited(
  desk: Desk,
  body: Record<string, unknown> = {},
  by: Caller = desk.owner.api,
): Promise<Json & { token: string }> {
  const made = await by.post('/v1/workspace/invites', { email: someEmail(), ...body });
  if (made.status > 201) throw new Error(`invite failed: ${JSON.stringify(made.body)}`);
  return { ...made.data, token: tokenIn(made.data.accept_url as string) };
}

export function accept(world: World, token: string, body: Record<string, unknown> = {}): Promise<Answer<Json>> {
  return world.anyone.post('/v1/auth/register-user', {
    invite_token: token,
    name: 'Gina Guest',
    password: PASSWORD,
    ...body,
  });
}

/** Events of these types in the workspace's log, oldest first. */
export function logged(world: World, workspaceId: string, ...types: string[]): Promise<Json[]> {
  return world.app.database.query(
    `SELECT type, payload, actor, address, user_agent FROM event
     WHERE workspace_id = $1 AND type = ANY($2) ORDER BY position`,
    [workspaceId, types],
  );
}
