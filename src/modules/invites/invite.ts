import type { Role } from '../../kernel/principal.js';

export const INVITE_STATES = ['pending', 'accepted', 'revoked'] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/** An invitation to join a workspace, as long as its mailed token has not been spent. */
export interface Invite {
  id: string;
  workspaceId: string;
  email: string;
  role: Role;
  /** null: all. */
  channelIds: string[] | null;
  status: InviteState;
  /** SHA-256 of the token in the link. */
  tokenHash: string;
  /** The member who invited; null for an API key. */
  invitedBy: string | null;
  expiresAt: Date;
  acceptedAt: Date | null;
  createdAt: Date;
}
