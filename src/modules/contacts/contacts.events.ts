import type { ContactRecord } from './contact.js';

export interface ContactUpdated {
  contact: ContactRecord;
  /** Through which it has come: who may see one of these may see the contact. */
  channel_ids: string[];
  /** The generation of visitor tokens that is refused since: raised, or of a contact that is blocked now; null for none. */
  refused_generation: number | null;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'contact.created': ContactRecord;
    'contact.updated': ContactUpdated;
  }
}
