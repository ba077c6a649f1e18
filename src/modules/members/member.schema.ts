import type { Role } from '../../kernel/principal.js';
import { ROLES } from '../../kernel/principal.js';
import { Rule } from '../../platform/http/field.js';
import { Choice, Email, Id, Ids, Integer, Text, Time } from '../../platform/http/fields.js';
import { isAcceptablePassword, PASSWORD_RULE } from '../users/index.js';
import type { Availability, MemberRecord, MemberStatus } from './member.js';
import { AVAILABILITIES, MEMBER_STATUSES } from './member.js';

const optional = true;

export class CreateMemberBody {
  @Email() email!: string;
  @Text({ example: 'Ada Lovelace' }) name!: string;
  @Choice(ROLES, { optional }) role?: Role;
  @Ids({ optional, description: 'All channels when absent.' }) channel_ids?: string[];
  @Text({ optional })
  @Rule('password', isAcceptablePassword, PASSWORD_RULE)
  password?: string;
}

const CHANNELS =
  'The channels that the member sees; null: all, also those made later. Open sockets follow, and the unresolved ' +
  'conversations that the member sees no longer lose their assignee.';

export class UpdateMemberBody {
  @Text({ optional, example: 'Ada Lovelace' }) name?: string;
  @Choice(ROLES, { optional, description: "At most the caller's own; an API key's is `admin`." }) role?: Role;
  @Ids({ optional, nullable: true, description: CHANNELS }) channel_ids?: string[] | null;
  @Integer({ optional, max: 1000, description: 'How many open conversations the member takes at once.' })
  capacity?: number;
}

const AVAILABILITY_SET =
  'How the member is shown while it is connected, until it says otherwise; `online` is how it begins. The answer has ' +
  'what was set, also when nobody is connected.';
const AVAILABILITY =
  'What the member has set, while it is connected; else `offline`. A session and a profile show their own member as it ' +
  'has set it.';

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
  @Time({ nullable: true, description: 'To the minute, while it is connected.' }) last_seen_at!: string | null;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}
