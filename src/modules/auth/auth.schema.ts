import { ApiProperty } from '@nestjs/swagger';
import type { ScopeRecord } from '../../kernel/channel-scope.js';
import type { Role } from '../../kernel/principal.js';
import { ROLES } from '../../kernel/principal.js';
import { Embedded } from '../../platform/schemas/answer-fields.js';
import { Rule } from '../../platform/schemas/field.js';
import { Choice, Email, Flag, Id, Ids, Integer, Nested, NestedList, Text } from '../../platform/schemas/fields.js';
import type { MemberRecord } from '../members/index.js';
import { isAcceptablePassword, PASSWORD_RULE } from '../users/index.js';
import type { WorkspaceRecord } from '../workspaces/index.js';

const optional = true;
const ROTATE = 'Whether each refresh returns a new refresh token and revokes the old one.';

export class RegisterBody {
  @Text({ example: 'Harbour Pine' }) workspace_name!: string;
  @Text({ example: 'Ada Lovelace' }) name!: string;
  @Email() email!: string;
  @Text({ example: 'a long passphrase' })
  @Rule('password', isAcceptablePassword, PASSWORD_RULE)
  password!: string;
  @Flag({ optional, description: ROTATE }) rotate?: boolean;
}

export class LoginBody {
  @Email() email!: string;
  @Text({ example: 'a long passphrase' }) password!: string;
  @Id({ optional, description: 'Workspace to enter. Defaults to the first.' }) workspace_id?: string;
  @Flag({ optional, description: ROTATE }) rotate?: boolean;
}

export class RefreshBody {
  @Text({
    optional,
    max: 4096,
    description: 'May be sent as `Authorization: Bearer` instead.',
    example: 'eyJhbGciOiJIUzI1NiIs…',
  })
  refresh_token?: string;
}

export class ChangePasswordBody {
  @Text({ example: 'a long passphrase' }) old_password!: string;
  @Text({ example: 'another long passphrase' })
  @Rule('password', isAcceptablePassword, PASSWORD_RULE)
  password!: string;
}

export class ForgotPasswordBody {
  @Email() email!: string;
}

export class ResetPasswordBody {
  @Text({ example: '4hQ0z8K1vTn2wXc7Yb3Rm9Lp' }) reset_token!: string;
  @Text({ example: 'another long passphrase' })
  @Rule('password', isAcceptablePassword, PASSWORD_RULE)
  password!: string;
}

export class ScopeView implements ScopeRecord {
  @Choice(['all', 'channels']) type!: 'all' | 'channels';
  @Ids({ nullable: true }) channel_ids!: string[] | null;
}

/** A workspace that the user can enter. */
export class WorkspaceMembershipView {
  @Id() id!: string;
  @Text({ example: 'Harbour Pine' }) name!: string;
  @Choice(ROLES) role!: Role;
}

/** Response of every sign-in. */
export class AgentSessionView {
  @Text({ max: 4096, description: 'Access token, valid for 15 minutes.', example: 'eyJhbGciOiJIUzI1NiIs…' })
  token!: string;
  @Text({
    max: 4096,
    description: 'Refresh token, valid until 7 days after sign-in.',
    example: 'eyJhbGciOiJIUzI1NiIs…',
  })
  refresh_token!: string;
  @Choice(['Bearer']) token_type!: 'Bearer';
  @Integer({ description: 'Seconds until the access token expires.' }) expires_in!: number;
  @Embedded('MemberView') member!: MemberRecord;
  @Embedded('WorkspaceView') workspace!: WorkspaceRecord;
  @Nested(() => ScopeView) scope!: ScopeView;
  @NestedList(() => WorkspaceMembershipView, {
    optional,
    description: 'Only after login: all workspaces that the user can enter.',
  })
  workspaces?: WorkspaceMembershipView[];
}

const ACTING_ROLE = "Role of this session: the member's role, at most `admin` if an API key opened the session.";

export class MeView {
  @Embedded('MemberView') member!: MemberRecord;
  @Embedded('WorkspaceView') workspace!: WorkspaceRecord;
  @Nested(() => ScopeView) scope!: ScopeView;
  @Choice(ROLES, { description: ACTING_ROLE }) acting_role!: Role;
  @NestedList(() => WorkspaceMembershipView) workspaces!: WorkspaceMembershipView[];
}

/** Response of an action that returns no data. */
export class DoneView {
  @ApiProperty({ type: Boolean, enum: [true] }) done!: true;
}
