import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import { randomAlphanumeric } from '../../kernel/secret.js';

/** Credential of a backend, for the whole workspace. */
export interface ApiKey {
  id: string;
  workspaceId: string;
  name: string;
  /** SHA-256 of the key. */
  keyHash: string;
  keyPrefix: string;
  scopes: string[];
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** The member who created it. */
  createdBy: string;
  revokedAt: Date | null;
  createdAt: Date;
}

export interface ApiKeyRecord {
  id: string;
  name: string;
  key_prefix: string;
  scopes: string[];
  expires_at: string | null;
  last_used_at: string | null;
  created_by: string;
  created_at: string;
}

export function toApiKeyRecord(key: ApiKey): ApiKeyRecord {
  return {
    id: key.id,
    name: key.name,
    key_prefix: key.keyPrefix,
    scopes: key.scopes,
    expires_at: toWireTimeOrNull(key.expiresAt),
    last_used_at: toWireTimeOrNull(key.lastUsedAt),
    created_by: key.createdBy,
    created_at: toWireTime(key.createdAt),
  };
}

const PREFIX = 'svc_sk_';
const FORM = /^svc_sk_[A-Za-z0-9]{32}$/;

export function newApiKey(): string {
  return `${PREFIX}${randomAlphanumeric(32)}`;
}

/** Prefix that is always shown: enough to tell keys apart, too little to guess one. */
export function keyPrefixOf(key: string): string {
  return `${key.slice(0, PREFIX.length + 4)}…`;
}

export function looksLikeApiKey(token: string): boolean {
  return token.startsWith(PREFIX);
}

export function isApiKey(token: string): boolean {
  return FORM.test(token);
}
