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
