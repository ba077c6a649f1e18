import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { Role } from '../../kernel/principal.js';
import type { NotificationSettings } from './notification-settings.js';

export const MEMBER_STATUSES = ['active', 'deactivated'] as const;
export const AVAILABILITIES = ['online', 'away', 'offline'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];
export type Availability = (typeof AVAILABILITIES)[number];

/** A user's membership in a workspace: name, role and visible channels. */
export interface Member {
  id: string;
  workspaceId: string;
  userId: string;
  /** E-mail of the user. */
  email: string;
  name: string;
  avatarUrl: string | null;
  role: Role;
  status: MemberStatus;
  /** Availability as the member has set it. It applies while the member is connected. */
  availability: Availability;
  /** null means all channels. */
  channelIds: string[] | null;
  /** Maximum number of open conversations at once. */
  capacity: number;
  /** True if the user's password opens this membership. If false, only single sign-on does. */
  claimed: boolean;
  notificationSettings: NotificationSettings;
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

/** A member as only itself sees it. */
export type ProfileRecord = MemberRecord & { notification_settings: NotificationSettings };

/** Everything that a visitor sees of a member. */
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

export function toProfileRecord(member: Member): ProfileRecord {
  return { ...toMemberRecord(member), notification_settings: member.notificationSettings };
}

/** A workspace that a user belongs to, with the membership. */
export interface Membership {
  memberId: string;
  workspaceId: string;
  workspaceName: string;
  role: Member['role'];
  status: Member['status'];
  claimed: boolean;
}
