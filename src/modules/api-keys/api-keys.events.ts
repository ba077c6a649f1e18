import type { ApiKeyRecord } from './api-key.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'api_key.created': ApiKeyRecord;
    'api_key.revoked': ApiKeyRecord;
  }
}
