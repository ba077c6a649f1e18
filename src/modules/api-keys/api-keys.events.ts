import type { ApiKeyRecord } from './api-key.js';

/** A revoked or expired key that is still used. */
export interface ApiKeyRefused {
  id: string;
  reason: 'revoked' | 'expired';
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'api_key.created': ApiKeyRecord;
    'api_key.revoked': ApiKeyRecord;
    'api_key.refused': ApiKeyRefused;
  }
}
