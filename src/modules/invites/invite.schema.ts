import type { Role } from '../../kernel/principal.js';
import { ROLES } from '../../kernel/principal.js';
import { Rule } from '../../platform/http/field.js';
import { Choice, Email, Flag, Id, Ids, Text, Time } from '../../platform/http/fields.js';
import { PageQuery } from '../../platform/http/page.schema.js';
import { isAcceptablePassword, PASSWORD_RULE } from '../users/index.js';
import type { InviteRecord, InviteStatus } from './invite.js';
import { INVITE_STATUSES } from './invite.js';

const optional = true;
const KEPT = 'a member whom a key has made, and who cannot sign in by password yet, keeps its own';

export class ListInvitesQuery extends PageQuery {
  @Choice(INVITE_STATUSES, { optional, description: 'Only invites with this status.' }) status?: InviteStatus;
}

export class CreateInviteBody {
  @Email() email!: string;
  @Choice(ROLES, { optional, description: `At most the caller's own. When absent: \`agent\`; ${KEPT}.` }) role?: Role;
  @Ids({ optional, description: `When absent: all channels; ${KEPT}.` }) channel_ids?: string[];
}

export class InviteView implements InviteRecord {
  @Id() id!: string;
  @Email() email!: string;
  @Choice(ROLES) role!: Role;
  @Ids({ nullable: true, description: 'null: all channels.' }) channel_ids!: string[] | null;
  @Choice(INVITE_STATUSES) status!: InviteStatus;
  @Id({ nullable: true, description: 'The member who gave out the link; null for an API key.' })
  invited_by!: string | null;
  @Time() expires_at!: string;
  @Time() created_at!: string;
  @Time({ nullable: true }) accepted_at!: string | null;
}

/** With the link, which is shown here and never again. */
export class IssuedInviteView extends InviteView {
  @Text({
    max: 4096,
    description: 'Once: `{dashboard_url}#invite=<token>`. Where SMTP is set, a mail carries a link with another token.',
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
    description: 'Of a user who has one: their present password. Otherwise it is set.',
    example: 'a long passphrase',
  })
  @Rule('password', isAcceptablePassword, PASSWORD_RULE)
  password!: string;
  @Flag({ optional, description: 'Whether each refresh gives a new refresh token and ends the old one.' })
  rotate?: boolean;
}
