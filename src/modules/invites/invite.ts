import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { Role } from '../../kernel/principal.js';
import { randomToken } from '../../kernel/secret.js';

const INVITE_STATES = ['pending', 'accepted', 'revoked'] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/** A pending invite whose time has passed has the status `expired`, which is not stored. */
export const INVITE_STATUSES = [...INVITE_STATES, 'expired'] as const;
export type InviteStatus = (typeof INVITE_STATUSES)[number];

export const INVITE_MS = 7 * 24 * 3_600_000;

/**
 * An invitation to join a workspace. It has two tokens: one is shown to the inviter, the other is mailed and proves
 * access to the mailbox. Using either spends the invite.
 */
export interface Invite {
  id: string;
  workspaceId: string;
  email: string;
  role: Role;
  /** null means all channels. */
  channelIds: string[] | null;
  status: InviteState;
  /** SHA-256 of the token in the link shown to the inviter. */
  tokenHash: string;
  /** SHA-256 of the token in the mailed link; null if none was mailed. */
  mailedTokenHash: string | null;
  /** The member who issued the current link; null for an API key. */
  invitedBy: string | null;
  /** The API key that issued the current link; null for a member. */
  apiKeyId: string | null;
  /** The inviter's role when the current link was issued; null in rows older than this column. */
  inviterRole: Role | null;
  expiresAt: Date;
  acceptedAt: Date | null;
  createdAt: Date;
}

export interface InviteRecord {
  id: string;
  email: string;
  role: Role;
  channel_ids: string[] | null;
  status: InviteStatus;
  invited_by: string | null;
  expires_at: string;
  created_at: string;
  accepted_at: string | null;
}

export function newInviteToken(): string {
  return randomToken('inv_');
}

export function statusOf({ status, expiresAt }: Invite, now: Date): InviteStatus {
  return status === 'pending' && expiresAt <= now ? 'expired' : status;
}

export function toInviteRecord(invite: Invite, now: Date): InviteRecord {
  return {
    id: invite.id,
    email: invite.email,
    role: invite.role,
    channel_ids: invite.channelIds,
    status: statusOf(invite, now),
    invited_by: invite.invitedBy,
    expires_at: toWireTime(invite.expiresAt),
    created_at: toWireTime(invite.createdAt),
    accepted_at: toWireTimeOrNull(invite.acceptedAt),
  };
}
