import { Forbidden, ScopeTooNarrow } from './errors.js';
import type { CredentialKind, Principal, Role } from './principal.js';
import { rank } from './principal.js';

/**
 * The lowest role that has each permission. Every agent may read; only admins may configure the workspace. An API key
 * acts as an admin of the whole workspace within its own scopes, and `widget:*` is for visitors only.
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
  /** All stored data of a contact including its messages: more than the `contacts` permissions give access to. */
  'contact-exports:write': 'agent',
  'conversations:read': 'agent',
  'conversations:write': 'agent',
  'attachments:read': 'agent',
  'attachments:write': 'agent',
  'views:read': 'agent',
  'views:write': 'agent',
  'webhooks:read': 'admin',
  'webhooks:write': 'admin',
  'reports:read': 'agent',
  'events:read': 'admin',
  'audit-log:read': 'admin',
  'canned-responses:read': 'agent',
  'canned-responses:write': 'agent',
  /** Creates sessions: an API key for any member, an agent only for itself (narrower, or in another workspace). */
  'sso:write': 'agent',
  /** The caller's own session and password. */
  'session:read': 'agent',
  'session:write': 'agent',
} as const satisfies Record<string, Role>;

export type StaffPermission = keyof typeof LOWEST_ROLE;
export type VisitorPermission = 'widget:read' | 'widget:write';
export type Permission = StaffPermission | VisitorPermission;

/** The valid values of an API key's `scopes`, besides `*`. */
export const KEY_SCOPES: readonly string[] = Object.keys(LOWEST_ROLE).filter(name => !name.startsWith('session:'));

export function isVisitorPermission(permission: Permission): permission is VisitorPermission {
  return permission.startsWith('widget:');
}

/** Returns the kinds of credentials that can have a permission. */
export function credentialKindsOf(permission: Permission): readonly CredentialKind[] {
  return isVisitorPermission(permission) ? ['visitor'] : ['agent', 'api_key'];
}

export function lowestRole(permission: StaffPermission): Role {
  return LOWEST_ROLE[permission];
}

/**
 * Scopes that equal full access. A key that creates, invites or signs in members can become one with every right. Bots
 * and webhooks send what is said in the workspace to an address that the key chooses.
 */
export const WHOLE_KEY_SCOPES: readonly string[] = [
  '*',
  'members:write',
  'invites:write',
  'sso:write',
  'webhooks:write',
  'bots:write',
];

function isWholeKey(keyScopes: readonly string[]): boolean {
  return WHOLE_KEY_SCOPES.some(scope => keyScopes.includes(scope));
}

/** A key with `x:write` also has `x:read`. */
function keyAllows(keyScopes: readonly string[], permission: StaffPermission): boolean {
  if (keyScopes.includes(permission) || isWholeKey(keyScopes)) return true;
  return keyScopes.includes(permission.replace(/:read$/, ':write'));
}

function meetsKeyDemand(keyScopes: readonly string[], demand: Demands['ofKey']): boolean {
  if (demand === undefined) return true;
  return demand === '*' ? isWholeKey(keyScopes) : keyAllows(keyScopes, demand);
}

/** Requirements of a route beyond its permission. */
export interface Demands {
  /** For agents: a higher role than the permission requires. */
  role?: Role;
  /** For agents: the action affects all channels, so a session limited to some channels may not do it. */
  allChannels?: boolean;
  /** For API keys: a second permission, or `*` for full access. */
  ofKey?: StaffPermission | '*';
}

/** Returns the lowest role that meets a permission and its demands. */
export function roleFor(permission: StaffPermission, { role }: Demands): Role {
  return role ?? LOWEST_ROLE[permission];
}

/**
 * Throws unless the caller has the permission and meets the demands. Repositories decide which rows are visible.
 * A session whose scope is not `all` has the rights of an agent, whatever its role.
 * @throws Forbidden, ScopeTooNarrow
 */
export function assertAllowed(principal: Principal, permission: Permission, demands: Demands = {}): void {
  const Refusal = refusalOf(principal, permission, demands);
  if (Refusal) throw new Refusal();
}

/** Returns true when `assertAllowed` would not throw. */
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
    case 'bot':
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
