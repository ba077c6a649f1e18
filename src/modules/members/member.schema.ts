import type { Role } from '../../kernel/principal.js';
import { ROLES } from '../../kernel/principal.js';
import { Choice, Email, Id, Ids, Integer, Rule, Text, Time } from '../../platform/http/fields.js';
import { isAcceptablePassword, PASSWORD_RULE } from '../users/index.js';
import type { Availability, MemberRecord, MemberStatus } from './member.js';
import { AVAILABILITIES, MEMBER_STATUSES } from './member.js';

const optional = true;

export class CreateMemberBody {
  @Email() email!: string;
  @Text() name!: string;
  @Choice(ROLES, { optional }) role?: Role;
  @Ids({ optional, description: 'All channels when absent.' }) channel_ids?: string[];
  @Text({ optional })
  @Rule('password', isAcceptablePassword, PASSWORD_RULE)
  password?: string;
}

export class UpdateProfileBody {
  @Text({ optional }) name?: string;
  @Text({ optional, nullable: true, max: 2048, pattern: /^https?:\/\// }) avatar_url?: string | null;
  @Choice(AVAILABILITIES, { optional }) availability?: Availability;
}

export class MemberView implements MemberRecord {
  @Id() id!: string;
  @Id() user_id!: string;
  @Email() email!: string;
  @Text() name!: string;
  @Text({ nullable: true, max: 2048 }) avatar_url!: string | null;
  @Choice(ROLES) role!: Role;
  @Choice(MEMBER_STATUSES) status!: MemberStatus;
  @Choice(AVAILABILITIES) availability!: Availability;
  @Ids({ nullable: true }) channel_ids!: string[] | null;
  @Integer() capacity!: number;
  @Time({ nullable: true }) last_seen_at!: string | null;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}
