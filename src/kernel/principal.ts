import type { ChannelScope } from './channel-scope.js';
import { ALL_CHANNELS } from './channel-scope.js';

export const ROLES = ['agent', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Returns the position of a role in `agent < admin < owner`. */
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
  /** Generation of the contact's token. Tokens of earlier generations are invalid. */
  readonly generation: number;
  readonly verified: boolean;
  /** Generation of the channel's tokens; earlier ones are invalid. */
  readonly channelGeneration: number;
  readonly expiresAt: Date;
}

export interface AgentPrincipal extends InWorkspace {
  readonly kind: 'agent';
  readonly memberId: string;
  readonly userId: string;
  /** The effective role of the session: the member's role, but at most `admin` when an API key minted the session. */
  readonly role: Role;
  readonly name: string;
  readonly avatarUrl: string | null;
  readonly scope: ChannelScope;
  /** The channels that the session was narrowed to. `scope` is their intersection with the member's channels. */
  readonly sessionScope: ChannelScope;
  /** True when an API key minted the session, which then can never switch to another workspace. */
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

/** A bot in a conversation that it is in control of. The service makes it for a bot's answer; it has no credential. */
export interface BotPrincipal extends InWorkspace {
  readonly kind: 'bot';
  readonly botId: string;
  readonly name: string;
  readonly avatarUrl: string | null;
  /** The only channel whose conversations it sees. */
  readonly channelId: string;
  /** The only contact whose conversations it sees. */
  readonly contactId: string;
}

/** The service itself, acting within one workspace: timers, automatic transitions, data migrations. */
export interface SystemPrincipal extends InWorkspace {
  readonly kind: 'system';
}

/** The authenticated caller: created once per request or socket, the first argument of every service method. */
export type Principal = VisitorPrincipal | AgentPrincipal | ApiKeyPrincipal | BotPrincipal | SystemPrincipal;
/** Callers that work for the workspace, as opposed to its visitors. */
export type StaffPrincipal = AgentPrincipal | ApiKeyPrincipal | SystemPrincipal;
export type CredentialKind = 'visitor' | 'agent' | 'api_key';

/** Returns the channels that a caller may see. A visitor sees its own channel, and there only rows of its contact. */
export function scopeOf(principal: Principal): ChannelScope {
  switch (principal.kind) {
    case 'agent':
      return principal.scope;
    case 'visitor':
    case 'bot':
      return [principal.channelId];
    case 'api_key':
    case 'system':
      return ALL_CHANNELS;
  }
}

/** Returns the contact whose rows alone the caller may see; null if it sees those of all contacts. */
export function contactOf(principal: Principal): string | null {
  return principal.kind === 'visitor' || principal.kind === 'bot' ? principal.contactId : null;
}

/** True for a caller that sends requests: neither a bot's answer nor the service itself. */
export function sendsRequests(principal: Principal): principal is Exclude<Principal, BotPrincipal | SystemPrincipal> {
  return principal.kind !== 'bot' && principal.kind !== 'system';
}

/** The role of every API key, whatever the role of its creator. */
export const API_KEY_ROLE: Role = 'admin';

/** Returns the role that limits which roles a caller may grant or change. The system ranks as owner. */
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

export function systemOf(workspaceId: string): SystemPrincipal {
  return { kind: 'system', workspaceId };
}

/** Returns a stable key of the caller. Rate limits, idempotency keys and socket limits use it. */
export function principalKey(principal: Principal): string {
  switch (principal.kind) {
    case 'agent':
      return `member:${principal.memberId}`;
    case 'visitor':
      return `contact:${principal.contactId}`;
    case 'api_key':
      return `api_key:${principal.apiKeyId}`;
    case 'bot':
      return `bot:${principal.botId}`;
    case 'system':
      return `system:${principal.workspaceId}`;
  }
}

/** Distinguishes sessions of one member with different scopes or rights, which must not share stored answers. */
export function rightsKey(principal: Principal): string {
  const scope = JSON.stringify(scopeOf(principal));
  return principal.kind === 'agent' && principal.workspaceBound ? `${scope} minted by a key` : scope;
}
