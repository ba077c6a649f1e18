import type { ContactRecord } from './contact.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'contact.created': ContactRecord;
    'contact.updated': ContactRecord;
  }
}
