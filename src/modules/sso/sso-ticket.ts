import { randomToken } from '../../kernel/secret.js';

/** A one-time ticket that signs a member in to the dashboard. Valid for one minute. */
export interface SsoTicket {
  id: string;
  workspaceId: string;
  /** SHA-256 of the ticket. The ticket itself is not stored. */
  ticketHash: string;
  memberId: string;
  /** The API key that issued it. Revoking the key invalidates the ticket. */
  apiKeyId: string;
  /** Channels that the session will be limited to; null for all that the member sees. */
  channelIds: string[] | null;
  expiresAt: Date;
  spentAt: Date | null;
  createdAt: Date;
}

export const TICKET_MS = 60_000;

export function newSsoTicket(): string {
  return randomToken('sst_');
}

/**
 * URL with the ticket in the fragment, which browsers send to no server. Keeps the query of the dashboard's address,
 * and replaces its fragment.
 */
export function redirectUrl(dashboardUrl: string, ticket: string): string {
  const [address = ''] = dashboardUrl.split('#');
  return `${address}#sso_ticket=${ticket}`;
}
