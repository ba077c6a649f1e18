import type { ContactRecord } from './contact.js';

export interface ContactUpdated {
  contact: ContactRecord;
  /** Through which it has come: who may see one of these may see the contact. */
  channel_ids: string[];
  /** The generation of visitor tokens that is refused since: raised, or of a contact that is blocked now; null for none. */
  refused_generation: number | null;
}

/** Two contacts have become one; of the first nothing is left but its id, which leads to the other. */
export interface ContactMerged {
  id: string;
  into_id: string;
  channel_ids: string[];
  refused_generation: number;
}

/** A person has been erased: what is still had of it in other places is to go too. */
export interface ContactDeleted {
  id: string;
  channel_ids: string[];
  refused_generation: number;
}

/** The content of an erased person has been scrubbed everywhere. */
export interface ContactErased {
  id: string;
  /** Messages, events and kept answers that held some of it. */
  scrubbed_rows: number;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'contact.created': ContactRecord;
    'contact.updated': ContactUpdated;
    'contact.blocked': { id: string };
    'contact.unblocked': { id: string };
    'contact.merged': ContactMerged;
    'contact.deleted': ContactDeleted;
    'contact.erased': ContactErased;
    'contact.exported': { id: string };
  }
}
