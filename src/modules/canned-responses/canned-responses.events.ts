import type { CannedResponseRecord } from './canned-response.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'canned_response.created': CannedResponseRecord;
    'canned_response.updated': CannedResponseRecord;
    'canned_response.deleted': CannedResponseRecord;
  }
}
