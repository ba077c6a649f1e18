import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { Role } from '../../kernel/principal.js';
import { randomToken } from '../../kernel/secret.js';

export const INVITE_STATES = ['pending', 'accepted', 'revoked'] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/** What the time makes of a state: a pending invite that nobody has accepted in time. */
export const INVITE_STATUSES = [...INVITE_STATES, 'expired'] as const;
export type InviteStatus = (typeof INVITE_STATUSES)[number];

export const INVITE_MS = 7 * 24 * 3_600_000;

/**
 * An invitation to join a workspace, as long as neither of its tokens has been spent. The inviter is shown one of them;
 * the other one is mailed, and proves that whoever comes with it reads the mailbox.
 */
export interface Invite {
  id: string;
  workspaceId: string;
  email: string;
  role: Role;
  /** null: all. */
  channelIds: string[] | null;
  status: InviteState;
  /** SHA-256 of the token in the link that the inviter is shown. */
  tokenHash: string;
  /** SHA-256 of the token in the link that was mailed; null where none was. */
  mailedTokenHash: string | null;
  /** The member who gave out the present link; null for an API key. */
  invitedBy: string | null;
  /** The API key that did; null for a member. */
  apiKeyId: string | null;
  /** The rights with which the present link was given out; null in rows older than this column. */
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
