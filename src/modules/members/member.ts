import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { Role } from '../../kernel/principal.js';

export const MEMBER_STATUSES = ['active', 'deactivated'] as const;
export const AVAILABILITIES = ['online', 'away', 'offline'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];
export type Availability = (typeof AVAILABILITIES)[number];

/** A user's place in a workspace: what it is called there, what it may do, which channels it sees. */
export interface Member {
  id: string;
  workspaceId: string;
  userId: string;
  /** The user's. */
  email: string;
  name: string;
  avatarUrl: string | null;
  role: Role;
  status: MemberStatus;
  /** What it has set by hand: how it is shown while it is connected. `online` follows its presence. */
  availability: Availability;
  /** null: all. */
  channelIds: string[] | null;
  /** How many open conversations it takes at once. */
  capacity: number;
  /** Whether the user's password opens this membership, as opposed to single sign-on alone. */
  claimed: boolean;
  lastSeenAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface MemberRecord {
  id: string;
  user_id: string;
  email: string;
  name: string;
  avatar_url: string | null;
  role: Role;
  status: MemberStatus;
  availability: Availability;
  channel_ids: string[] | null;
  capacity: number;
  last_seen_at: string | null;
  created_at: string;
  updated_at: string;
}

/** All that a visitor learns of a member. */
export interface MemberDisplay {
  name: string;
  avatar_url: string | null;
}

export function toMemberRecord(member: Member): MemberRecord {
  return {
    id: member.id,
    user_id: member.userId,
    email: member.email,
    name: member.name,
    avatar_url: member.avatarUrl,
    role: member.role,
    status: member.status,
    availability: member.availability,
    channel_ids: member.channelIds,
    capacity: member.capacity,
    last_seen_at: toWireTimeOrNull(member.lastSeenAt),
    created_at: toWireTime(member.createdAt),
    updated_at: toWireTime(member.updatedAt),
  };
}

/** One of the workspaces that a user belongs to. */
export interface Membership {
  memberId: string;
  workspaceId: string;
  workspaceName: string;
  role: Member['role'];
  status: Member['status'];
  claimed: boolean;
}
