import type { EventDefinitions } from '../../kernel/event-definition.js';
import { NOT_SENT } from '../../kernel/event-definition.js';
/** A pass to the dashboard has been handed out; the ticket itself is in no event. */
export interface SsoTicketIssued {
  ticket_id: string;
  /** For whom. */
  member_id: string;
  /** What the session will be narrowed to; null where it will not. */
  channel_ids: string[] | null;
  /** The key that asked for it. */
  api_key_id: string;
  expires_at: string;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'sso_ticket.issued': SsoTicketIssued;
  }
}

export const SSO_EVENTS: EventDefinitions<'sso_ticket.issued'> = {
  'sso_ticket.issued': {
    summary: 'A one-time ticket to the dashboard was issued.',
    ...NOT_SENT,
    audit: ({ ticket_id: id }) => ({ type: 'sso_ticket', id }),
    personal: 'none',
  },
};
