import type { Role } from '../../kernel/principal.js';
import { ROLES } from '../../kernel/principal.js';
import { Rule } from '../../platform/schemas/field.js';
import { Choice, Email, Flag, Id, Ids, Text, Time } from '../../platform/schemas/fields.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import { isAcceptablePassword, PASSWORD_RULE } from '../users/index.js';
import type { InviteRecord, InviteStatus } from './invite.js';
import { INVITE_STATUSES } from './invite.js';

const optional = true;
const KEPT = 'or, for a member created by an API key who cannot sign in by password yet, the present value';

export class ListInvitesQuery extends PageQuery {
  @Choice(INVITE_STATUSES, { optional, description: 'Only invites with this status.' }) status?: InviteStatus;
}

export class CreateInviteBody {
  @Email() email!: string;
  @Choice(ROLES, { optional, description: `At most the caller's own role. Defaults to \`agent\`, ${KEPT}.` })
  role?: Role;
  @Ids({ optional, description: `Channels to grant. Defaults to all channels, ${KEPT}.` }) channel_ids?: string[];
}

export class InviteView implements InviteRecord {
  @Id() id!: string;
  @Email() email!: string;
  @Choice(ROLES) role!: Role;
  @Ids({ nullable: true, description: '`null` means all channels.' }) channel_ids!: string[] | null;
  @Choice(INVITE_STATUSES) status!: InviteStatus;
  @Id({ nullable: true, description: 'The member who issued the current link; null for an API key.' })
  invited_by!: string | null;
  @Time() expires_at!: string;
  @Time() created_at!: string;
  @Time({ nullable: true }) accepted_at!: string | null;
}

/** An invite with its link, which is shown only once. */
export class IssuedInviteView extends InviteView {
  @Text({
    max: 4096,
    description:
      '`{dashboard_url}#invite=<token>`. Shown only once. With SMTP configured, a link with another token is mailed.',
    example: 'https://desk.example.com/dashboard#invite=4hQ0z8K1vTn2wXc7Yb3Rm9Lp',
  })
  accept_url!: string;
}

export class InvitePreviewBody {
  @Text({ example: '4hQ0z8K1vTn2wXc7Yb3Rm9Lp' }) invite_token!: string;
}

export class InvitePreviewView {
  @Text({ example: 'Harbour Pine' }) workspace_name!: string;
  @Email() email!: string;
  @Choice(ROLES) role!: Role;
  @Time() expires_at!: string;
}

export class RegisterUserBody {
  @Text({ example: '4hQ0z8K1vTn2wXc7Yb3Rm9Lp' }) invite_token!: string;
  @Text({ example: 'Ada Lovelace' }) name!: string;
  @Text({
    description: 'The current password of a user who has one. Otherwise the password to set.',
    example: 'a long passphrase',
  })
  @Rule('password', isAcceptablePassword, PASSWORD_RULE)
  password!: string;
  @Flag({ optional, description: 'Whether each refresh returns a new refresh token and revokes the old one.' })
  rotate?: boolean;
}
