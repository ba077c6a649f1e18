import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import type { Role } from '../../kernel/principal.js';
import {
  IdColumn,
  JsonColumn,
  KeyColumn,
  TextColumn,
  TimeColumn,
  WrittenAtColumn,
} from '../../platform/database/columns.js';
import type { Availability, Member, MemberStatus } from './member.js';
import type { NotificationSettings } from './notification-settings.js';
import { DEFAULT_NOTIFICATION_SETTINGS } from './notification-settings.js';

@Entity({ name: 'member' })
@Unique('uq_member_user', ['workspaceId', 'userId'])
@Index('ix_member_user', ['userId'])
@Check('ck_member_role', `"role" IN ('owner', 'admin', 'agent')`)
@Check('ck_member_status', `"status" IN ('active', 'deactivated')`)
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_member_workspace', onDelete: 'CASCADE' })
@ForeignKey('user_account', ['userId'], ['id'], { name: 'fk_member_user' })
export class MemberEntity implements Omit<Member, 'email'> {
  @KeyColumn('workspace_id', 'pk_member')
  workspaceId!: string;

  @KeyColumn('id', 'pk_member')
  id!: string;

  @IdColumn('user_id')
  userId!: string;

  @TextColumn('name')
  name!: string;

  @TextColumn('avatar_url', { nullable: true })
  avatarUrl!: string | null;

  @TextColumn('role')
  role!: Role;

  @TextColumn('status', { default: 'active' })
  status!: MemberStatus;

  @TextColumn('availability', { default: 'online' })
  availability!: Availability;

  @IdColumn('channel_ids', { array: true, nullable: true })
  channelIds!: string[] | null;

  @Column({ name: 'capacity', type: 'integer', default: 10 })
  capacity!: number;

  @Column({ name: 'claimed', type: 'boolean', default: false })
  claimed!: boolean;

  @JsonColumn('notification_settings', { default: DEFAULT_NOTIFICATION_SETTINGS })
  notificationSettings!: NotificationSettings;

  @TimeColumn('last_seen_at', { nullable: true })
  lastSeenAt!: Date | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
