import type { Role } from '../../kernel/principal.js';
import { ROLES } from '../../kernel/principal.js';
import { Rule } from '../../platform/schemas/field.js';
import { Choice, Email, Flag, Id, Ids, Integer, Nested, Text, Time } from '../../platform/schemas/fields.js';
import { isAcceptablePassword, PASSWORD_RULE } from '../users/index.js';
import type { Availability, MemberRecord, MemberStatus, ProfileRecord } from './member.js';
import { AVAILABILITIES, MEMBER_STATUSES } from './member.js';
import type { NotificationChannels, NotificationSettings } from './notification-settings.js';

const optional = true;

export class CreateMemberBody {
  @Email() email!: string;
  @Text({ example: 'Ada Lovelace' }) name!: string;
  @Choice(ROLES, { optional }) role?: Role;
  @Ids({ optional, description: 'Channels that the member sees. Defaults to all channels.' }) channel_ids?: string[];
  @Text({ optional })
  @Rule('password', isAcceptablePassword, PASSWORD_RULE)
  password?: string;
}

const CHANNELS =
  'Channels that the member sees. `null` means all channels, including future ones. Open sockets follow the change. ' +
  'Unresolved conversations that the member no longer sees are unassigned.';

const CAPACITY =
  'Number of open conversations, in all channels, from which on the member is assigned no further one. `0` means that ' +
  'none is ever assigned automatically. People can pass it: by taking a conversation, or by assigning one.';

export class UpdateMemberBody {
  @Text({ optional, example: 'Ada Lovelace' }) name?: string;
  @Choice(ROLES, { optional, description: "At most the caller's own role. An API key counts as `admin`." }) role?: Role;
  @Ids({ optional, nullable: true, description: CHANNELS }) channel_ids?: string[] | null;
  @Integer({ optional, max: 1000, description: CAPACITY }) capacity?: number;
}

const AVAILABILITY_SET =
  'Availability shown to others while the member is connected. Defaults to `online`. The response contains the value ' +
  'as set, whether or not the member is connected.';
const AVAILABILITY =
  'Availability that the member has set while it is connected, otherwise `offline`. Sessions and profiles show ' +
  'their own member with the value as set.';

export class NotificationChannelsBody {
  @Flag({ optional, description: 'List it, and send it to open sockets.' }) app?: boolean;
  @Flag({ optional, description: 'Mail it if it is unread after five minutes and no socket is open then.' })
  email?: boolean;
}

/** Merged key by key. */
export class NotificationSettingsBody {
  @Nested(() => NotificationChannelsBody, { optional }) assigned?: NotificationChannelsBody;
  @Nested(() => NotificationChannelsBody, { optional }) mentioned?: NotificationChannelsBody;
  @Nested(() => NotificationChannelsBody, { optional }) replied?: NotificationChannelsBody;
}

export class UpdateProfileBody {
  @Text({ optional, example: 'Ada Lovelace' }) name?: string;
  @Text({ optional, nullable: true, max: 2048, pattern: /^https?:\/\//, example: 'https://shop.example/ada.png' })
  avatar_url?: string | null;
  @Choice(AVAILABILITIES, { optional, description: AVAILABILITY_SET }) availability?: Availability;
  @Nested(() => NotificationSettingsBody, { optional, description: 'Merged key by key.' })
  notification_settings?: NotificationSettingsBody;
}

export class MemberView implements MemberRecord {
  @Id() id!: string;
  @Id() user_id!: string;
  @Email() email!: string;
  @Text({ example: 'Ada Lovelace' }) name!: string;
  @Text({ nullable: true, max: 2048, example: 'https://shop.example/ada.png' }) avatar_url!: string | null;
  @Choice(ROLES) role!: Role;
  @Choice(MEMBER_STATUSES) status!: MemberStatus;
  @Choice(AVAILABILITIES, { description: AVAILABILITY }) availability!: Availability;
  @Ids({ nullable: true }) channel_ids!: string[] | null;
  @Integer({ description: CAPACITY }) capacity!: number;
  @Time({ nullable: true, description: 'Updated once a minute while the member is connected.' }) last_seen_at!:
    string | null;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}

export class NotificationChannelsView implements NotificationChannels {
  @Flag() app!: boolean;
  @Flag() email!: boolean;
}

export class NotificationSettingsView implements NotificationSettings {
  @Nested(() => NotificationChannelsView) assigned!: NotificationChannelsView;
  @Nested(() => NotificationChannelsView) mentioned!: NotificationChannelsView;
  @Nested(() => NotificationChannelsView) replied!: NotificationChannelsView;
}

/** The caller's own member. */
export class ProfileView extends MemberView implements ProfileRecord {
  @Nested(() => NotificationSettingsView) notification_settings!: NotificationSettingsView;
}
