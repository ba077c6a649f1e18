import type { CloseReason } from './close-codes.js';

/** Sockets that an event closes together, and the reason that their clients get. */
export type SocketGroup = { reason: CloseReason } & (
  | { of: 'session'; sessionId: string }
  /** The sockets that a contact's tokens of one generation have opened. */
  | { of: 'contactTokens'; contactId: string; generation: number }
  /** The sockets that a channel's tokens of one generation have opened, of verified visitors or of others. */
  | { of: 'channelTokens'; channelId: string; kind: 'verified' | 'unverified'; generation: number }
  | { of: 'channelVisitors'; channelId: string }
);
