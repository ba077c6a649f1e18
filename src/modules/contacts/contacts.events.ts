import type { EventDefinitions } from '../../kernel/event-definition.js';
import { auditedAs, NOT_SENT } from '../../kernel/event-definition.js';
import type { SocketGroup } from '../../kernel/socket-group.js';
import { CONTACT_FIELDS } from './contact.js';
import { withoutSecretId } from './external-id.js';
import type { ContactRecord } from './contact.js';

interface ContactUpdated {
  contact: ContactRecord;
  /** Channels that the contact came through. A caller who sees one of them may see the contact. */
  channel_ids: string[];
  /** Generation of visitor tokens that is revoked by a new identity or a block; null for none. */
  refused_generation: number | null;
}

/** A contact was merged into another one. Its id now redirects to that one. */
interface ContactMerged {
  id: string;
  into_id: string;
  channel_ids: string[];
  refused_generation: number;
}

/** A person was erased. Consumers must delete their copies too. */
interface ContactDeleted {
  id: string;
  channel_ids: string[];
  refused_generation: number;
}

/** The content of an erased person was scrubbed everywhere. */
interface ContactErased {
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

/** Events that an earlier version of the service has recorded name no generation. */
const tokenSockets = (contactId: string, generation: number | null | undefined): SocketGroup | null =>
  typeof generation === 'number' ? { of: 'contactTokens', contactId, generation, reason: 'accessRevoked' } : null;

const contact = auditedAs('contact');
const reference = { id: 'kept', channel_ids: 'kept', refused_generation: 'kept' } as const;

type ContactEvent =
  | 'contact.created'
  | 'contact.updated'
  | 'contact.merged'
  | 'contact.deleted'
  | 'contact.blocked'
  | 'contact.unblocked'
  | 'contact.erased'
  | 'contact.exported';

export const CONTACT_EVENTS: EventDefinitions<ContactEvent> = {
  'contact.created': {
    summary: 'A contact was created.',
    ...NOT_SENT,
    public: ({ payload }) => payload,
    scopedPublic: ({ payload }) => withoutSecretId(payload),
    audit: null,
    personal: CONTACT_FIELDS,
  },
  'contact.updated': {
    summary: 'A contact was updated.',
    agents: {
      room: 'channel',
      shape: 'ContactView',
      data: ({ payload }) => payload.contact,
      scopedData: ({ payload }) => withoutSecretId(payload.contact),
      channels: ({ payload }) => payload.channel_ids,
    },
    visitor: null,
    public: ({ payload }) => payload.contact,
    scopedPublic: ({ payload }) => withoutSecretId(payload.contact),
    audit: null,
    closes: payload => tokenSockets(payload.contact.id, payload.refused_generation),
    personal: { contact: CONTACT_FIELDS, channel_ids: 'kept', refused_generation: 'kept' },
  },
  'contact.merged': {
    summary: 'A contact was merged into another one.',
    agents: {
      room: 'channel',
      shape: 'ContactMergedData',
      data: ({ payload: { id, into_id } }) => ({ id, into_id }),
      channels: ({ payload }) => payload.channel_ids,
    },
    visitor: null,
    public: ({ payload: { id, into_id } }) => ({ id, into_id }),
    audit: contact,
    closes: payload => tokenSockets(payload.id, payload.refused_generation),
    personal: { ...reference, into_id: 'kept' },
  },
  'contact.deleted': {
    summary: 'A contact was erased. Delete all data that you store about it.',
    agents: {
      room: 'channel',
      shape: 'ContactDeletedData',
      data: ({ payload: { id } }) => ({ id }),
      channels: ({ payload }) => payload.channel_ids,
    },
    visitor: null,
    public: ({ payload: { id } }) => ({ id }),
    audit: contact,
    closes: payload => tokenSockets(payload.id, payload.refused_generation),
    personal: reference,
  },
  'contact.blocked': {
    summary: 'A contact was blocked. Its sockets close.',
    ...NOT_SENT,
    audit: contact,
    personal: { id: 'kept' },
  },
  'contact.unblocked': { summary: 'A contact was unblocked.', ...NOT_SENT, audit: contact, personal: { id: 'kept' } },
  'contact.erased': {
    summary: 'The content of an erased contact was removed everywhere.',
    ...NOT_SENT,
    audit: contact,
    personal: { id: 'kept', scrubbed_rows: 'kept' },
  },
  'contact.exported': {
    summary: 'The data of a contact was exported.',
    ...NOT_SENT,
    audit: contact,
    personal: { id: 'kept' },
  },
};
