import type { Role } from '../../kernel/principal.js';
import { ROLES } from '../../kernel/principal.js';
import { Rule } from '../../platform/schemas/field.js';
import { Choice, Email, Id, Ids, Integer, Text, Time } from '../../platform/schemas/fields.js';
import { isAcceptablePassword, PASSWORD_RULE } from '../users/index.js';
import type { Availability, MemberRecord, MemberStatus } from './member.js';
import { AVAILABILITIES, MEMBER_STATUSES } from './member.js';

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

export class UpdateMemberBody {
  @Text({ optional, example: 'Ada Lovelace' }) name?: string;
  @Choice(ROLES, { optional, description: "At most the caller's own role. An API key counts as `admin`." }) role?: Role;
  @Ids({ optional, nullable: true, description: CHANNELS }) channel_ids?: string[] | null;
  @Integer({ optional, max: 1000, description: 'Maximum number of open conversations at once.' })
  capacity?: number;
}

const AVAILABILITY_SET =
  'Availability shown to others while the member is connected. Defaults to `online`. The response contains the value ' +
  'as set, whether or not the member is connected.';
const AVAILABILITY =
  'Availability that the member has set while it is connected, otherwise `offline`. Sessions and profiles show ' +
  'their own member with the value as set.';

export class UpdateProfileBody {
  @Text({ optional, example: 'Ada Lovelace' }) name?: string;
  @Text({ optional, nullable: true, max: 2048, pattern: /^https?:\/\//, example: 'https://shop.example/ada.png' })
  avatar_url?: string | null;
  @Choice(AVAILABILITIES, { optional, description: AVAILABILITY_SET }) availability?: Availability;
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
  @Integer() capacity!: number;
  @Time({ nullable: true, description: 'Updated once a minute while the member is connected.' }) last_seen_at!:
    string | null;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}
