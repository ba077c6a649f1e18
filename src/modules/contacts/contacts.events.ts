import type { ContactRecord } from './contact.js';

export interface ContactUpdated {
  contact: ContactRecord;
  /** Channels that the contact came through. A caller who sees one of them may see the contact. */
  channel_ids: string[];
  /** Generation of visitor tokens that is revoked by a new identity or a block; null for none. */
  refused_generation: number | null;
}

/** A contact was merged into another one. Its id now redirects to that one. */
export interface ContactMerged {
  id: string;
  into_id: string;
  channel_ids: string[];
  refused_generation: number;
}

/** A person was erased. Consumers must delete their copies too. */
export interface ContactDeleted {
  id: string;
  channel_ids: string[];
  refused_generation: number;
}

/** The content of an erased person was scrubbed everywhere. */
export interface ContactErased {
  id: string;
  /** Number of messages, events and stored idempotent responses that were scrubbed. */
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
