import { randomToken } from '../../kernel/secret.js';

/** A one-time pass to the dashboard for one member: good for a minute, and once. */
export interface SsoTicket {
  id: string;
  workspaceId: string;
  /** SHA-256 of the ticket; the ticket itself is in no table. */
  ticketHash: string;
  memberId: string;
  /** The key that asked for it; a ticket dies with its key. */
  apiKeyId: string;
  /** What the session will be narrowed to; null for everything that the member sees. */
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
 * Where the dashboard finds the ticket: in the fragment, which browsers send to no server. A fragment that the
 * dashboard's own address has gives way, for there can be but one; its query stays.
 */
export function redirectUrl(dashboardUrl: string, ticket: string): string {
  const [address = ''] = dashboardUrl.split('#');
  return `${address}#sso_ticket=${ticket}`;
}
