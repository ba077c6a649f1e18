import type { ChannelScope } from './channel-scope.js';
import { ALL_CHANNELS } from './channel-scope.js';

export const ROLES = ['agent', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Position in `agent < admin < owner`. */
export function rank(role: Role): number {
  return ROLES.indexOf(role);
}

export function lowerRole(a: Role, b: Role): Role {
  return rank(a) < rank(b) ? a : b;
}

interface InWorkspace {
  readonly workspaceId: string;
}

export interface VisitorPrincipal extends InWorkspace {
  readonly kind: 'visitor';
  readonly contactId: string;
  readonly channelId: string;
  /** Which of the contact's tokens it came with: those of earlier generations are worth nothing. */
  readonly generation: number;
  /** Whether the contact is verified. */
  readonly verified: boolean;
  /** The same as `generation`, of the channel. */
  readonly channelGeneration: number;
  readonly expiresAt: Date;
}

export interface AgentPrincipal extends InWorkspace {
  readonly kind: 'agent';
  readonly memberId: string;
  readonly userId: string;
  /** The role whose rights the session has: the member's own, in a session that an API key minted at most `admin`. */
  readonly role: Role;
  readonly name: string;
  readonly scope: ChannelScope;
  /** What the session was narrowed to; with the member's own channels it makes the scope. */
  readonly sessionScope: ChannelScope;
  /** Whether the session can never leave this workspace: an API key has minted it. */
  readonly workspaceBound: boolean;
  readonly sessionId: string;
  readonly familyId: string;
  readonly expiresAt: Date;
}

export interface ApiKeyPrincipal extends InWorkspace {
  readonly kind: 'api_key';
  readonly apiKeyId: string;
  /** `*` or `resource:read|write`. */
  readonly keyScopes: readonly string[];
}

/** The service itself, acting within one workspace: timers, automatic transitions, migrations of data. */
export interface SystemPrincipal extends InWorkspace {
  readonly kind: 'system';
}

/** Who calls: made once per request or socket, the first argument of every service method. */
export type Principal = VisitorPrincipal | AgentPrincipal | ApiKeyPrincipal | SystemPrincipal;
/** Those who work for the workspace, as opposed to its visitors. */
export type StaffPrincipal = AgentPrincipal | ApiKeyPrincipal | SystemPrincipal;
export type CredentialKind = 'visitor' | 'agent' | 'api_key';

/** The channels that a caller may see. A visitor's rows are found by contact, on its own channel. */
export function scopeOf(principal: Principal): ChannelScope {
  switch (principal.kind) {
    case 'agent':
      return principal.scope;
    case 'visitor':
      return [principal.channelId];
    case 'api_key':
    case 'system':
      return ALL_CHANNELS;
  }
}

/** As whom an API key acts, whoever made it. */
export const API_KEY_ROLE: Role = 'admin';

/** The role by which the caller is measured where roles are granted or changed; the service itself is above them. */
export function actingRole(principal: StaffPrincipal): Role {
  switch (principal.kind) {
    case 'agent':
      return principal.role;
    case 'api_key':
      return API_KEY_ROLE;
    case 'system':
      return 'owner';
  }
}

/** The service itself, in this workspace. */
export function systemOf(workspaceId: string): SystemPrincipal {
  return { kind: 'system', workspaceId };
}

/** The stable identity of a credential's owner: rate limits, Idempotency-Key and sockets are counted by it. */
export function principalKey(principal: Principal): string {
  switch (principal.kind) {
    case 'agent':
      return `member:${principal.memberId}`;
    case 'visitor':
      return `contact:${principal.contactId}`;
    case 'api_key':
      return `api_key:${principal.apiKeyId}`;
    case 'system':
      return `system:${principal.workspaceId}`;
  }
}
