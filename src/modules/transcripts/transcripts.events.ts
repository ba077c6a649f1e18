import type { EventDefinitions } from '../../kernel/event-definition.js';
import { NOT_SENT } from '../../kernel/event-definition.js';

/** The address is not part of it: the audit log outlives an erased contact. */
interface TranscriptMailed {
  /** The conversation. */
  id: string;
  number: number;
  /** True if it went to the contact's own address. */
  to_contact: boolean;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'transcript.mailed': TranscriptMailed;
  }
}

export const TRANSCRIPT_EVENTS: EventDefinitions<'transcript.mailed'> = {
  'transcript.mailed': {
    summary: 'An agent or an API key had a transcript mailed.',
    ...NOT_SENT,
    audit: ({ id }) => ({ type: 'conversation', id }),
    personal: 'none',
  },
};
