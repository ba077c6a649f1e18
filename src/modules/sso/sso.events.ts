import type { EventDefinitions } from '../../kernel/event-definition.js';
import { NOT_SENT } from '../../kernel/event-definition.js';
/** A ticket was issued. No event contains the ticket. */
interface SsoTicketIssued {
  ticket_id: string;
  /** The member that it signs in. */
  member_id: string;
  /** Channels that the session will be limited to; null for all that the member sees. */
  channel_ids: string[] | null;
  /** The API key that issued it. */
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
    summary: 'A one-time sign-in ticket for the dashboard was issued.',
    ...NOT_SENT,
    audit: ({ ticket_id: id }) => ({ type: 'sso_ticket', id }),
    personal: 'none',
  },
};
