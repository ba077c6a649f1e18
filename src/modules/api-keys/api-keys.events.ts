import type { ApiKeyRecord } from './api-key.js';

/** A dead key that somebody still calls with. */
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
