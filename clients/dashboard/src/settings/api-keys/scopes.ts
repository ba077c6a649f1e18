import type { CreateApiKeyBody } from '@support-chat/sdk';

export type Scope = NonNullable<CreateApiKeyBody['scopes']>[number];

/** A key with one of these can reach everything. */
export const WHOLE_SCOPES: ReadonlySet<Scope> = new Set<Scope>([
  'sso:write',
  'members:write',
  'invites:write',
  'webhooks:write',
  'bots:write',
]);

/** All scopes but `*`. The type makes a scope that the API adds a fault here. */
const ALL: Record<Exclude<Scope, '*'>, true> = {
  'conversations:read': true,
  'conversations:write': true,
  'contacts:read': true,
  'contacts:write': true,
  'contact-exports:write': true,
  'attachments:read': true,
  'attachments:write': true,
  'canned-responses:read': true,
  'canned-responses:write': true,
  'views:read': true,
  'views:write': true,
  'reports:read': true,
  'events:read': true,
  'audit-log:read': true,
  'workspace:read': true,
  'workspace:write': true,
  'channels:read': true,
  'channels:write': true,
  'members:read': true,
  'members:write': true,
  'invites:read': true,
  'invites:write': true,
  'bots:read': true,
  'bots:write': true,
  'webhooks:read': true,
  'webhooks:write': true,
  'api-keys:read': true,
  'api-keys:write': true,
  'sso:write': true,
};

export const SCOPES = Object.keys(ALL) as Scope[];
