import { Forbidden, ScopeTooNarrow } from './errors.js';
import type { Principal, Role } from './principal.js';
import { rank } from './principal.js';

/**
 * The lowest role that may do each thing. Reading is for every agent; what shapes the workspace is for admins. An API
 * key acts like an admin of the whole workspace, within its own scopes. `widget:*` is the visitor's and nobody else's.
 */
const LOWEST_ROLE = {
  'workspace:read': 'agent',
  'workspace:write': 'admin',
  'channels:read': 'agent',
  'channels:write': 'admin',
  'members:read': 'agent',
  'members:write': 'admin',
  'invites:read': 'agent',
  'invites:write': 'admin',
  'bots:read': 'agent',
  'bots:write': 'admin',
  'api-keys:read': 'admin',
  'api-keys:write': 'admin',
  'contacts:read': 'agent',
  'contacts:write': 'agent',
  /** All that is held of a person, what was said with it too: more than whoever manages contacts has to read. */
  'contact-exports:write': 'agent',
  'conversations:read': 'agent',
  'conversations:write': 'agent',
  'events:read': 'admin',
  'audit-log:read': 'admin',
  'canned-responses:read': 'agent',
  'canned-responses:write': 'agent',
  /** Sessions: a key's for any member, an agent's narrower or elsewhere for itself. */
  'sso:write': 'agent',
  /** One's own session and password. */
  'session:read': 'agent',
  'session:write': 'agent',
} as const satisfies Record<string, Role>;

export type StaffPermission = keyof typeof LOWEST_ROLE;
export type VisitorPermission = 'widget:read' | 'widget:write';
export type Permission = StaffPermission | VisitorPermission;

/** What an API key's `scopes` may name, besides `*`. */
export const KEY_SCOPES: readonly string[] = Object.keys(LOWEST_ROLE).filter(name => !name.startsWith('session:'));

export function isVisitorPermission(permission: Permission): permission is VisitorPermission {
  return permission.startsWith('widget:');
}

export function lowestRole(permission: StaffPermission): Role {
  return LOWEST_ROLE[permission];
}

/** Whoever makes, invites or speaks for members can be one who may do everything: these scopes are worth as much. */
export const WHOLE_KEY_SCOPES: readonly string[] = ['*', 'members:write', 'invites:write', 'sso:write'];

function isWholeKey(keyScopes: readonly string[]): boolean {
  return WHOLE_KEY_SCOPES.some(scope => keyScopes.includes(scope));
}

/** `x:write` on a key includes `x:read`: whoever may change a thing may look at it. */
function keyAllows(keyScopes: readonly string[], permission: StaffPermission): boolean {
  if (keyScopes.includes(permission) || isWholeKey(keyScopes)) return true;
  return keyScopes.includes(permission.replace(/:read$/, ':write'));
}

function meetsKeyDemand(keyScopes: readonly string[], demand: Demands['ofKey']): boolean {
  if (demand === undefined) return true;
  return demand === '*' ? isWholeKey(keyScopes) : keyAllows(keyScopes, demand);
}

/** What a thing takes beside the permission. */
export interface Demands {
  /** Of an agent, where it takes a higher role than the rest of what the permission names. */
  role?: Role;
  /** Of an agent: whether it reaches beyond any one channel, so that a session limited to some may not do it. */
  allChannels?: boolean;
  /** Of an API key: another permission, or the whole key. */
  ofKey?: StaffPermission | '*';
}

/** The lowest role that may do it. */
export function roleFor(permission: StaffPermission, { role }: Demands): Role {
  return role ?? LOWEST_ROLE[permission];
}

/**
 * Throws unless the caller may do this at all. Which rows it may do it to is the repository's question.
 * A session whose scope is not `all` has the rights of an agent, whatever its role.
 */
export function assertAllowed(principal: Principal, permission: Permission, demands: Demands = {}): void {
  const Refusal = refusalOf(principal, permission, demands);
  if (Refusal) throw new Refusal();
}

/** Whether `assertAllowed` lets the caller pass. */
export function isAllowed(principal: Principal, permission: Permission, demands: Demands = {}): boolean {
  return refusalOf(principal, permission, demands) === null;
}

function refusalOf(
  principal: Principal,
  permission: Permission,
  demands: Demands,
): typeof Forbidden | typeof ScopeTooNarrow | null {
  if (principal.kind === 'system') return null;
  if (isVisitorPermission(permission)) return principal.kind === 'visitor' ? null : Forbidden;
  switch (principal.kind) {
    case 'visitor':
      return Forbidden;
    case 'api_key': {
      const { keyScopes } = principal;
      return keyAllows(keyScopes, permission) && meetsKeyDemand(keyScopes, demands.ofKey) ? null : Forbidden;
    }
    case 'agent': {
      const lowest = roleFor(permission, demands);
      if (rank(principal.role) < rank(lowest)) return Forbidden;
      if ((lowest !== 'agent' || demands.allChannels) && principal.scope !== null) return ScopeTooNarrow;
      return null;
    }
  }
}
