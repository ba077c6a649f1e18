import { Check, Entity, ForeignKey, Index, Unique } from 'typeorm';
import type { Role } from '../../kernel/principal.js';
import { IdColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { Invite, InviteState } from './invite.js';

@Entity({ name: 'invite' })
@Unique('uq_invite_token', ['tokenHash'])
@Unique('uq_invite_mailed_token', ['mailedTokenHash'])
@Index('uq_invite_pending', ['workspaceId', 'email'], { unique: true, where: `"status" = 'pending'` })
@Check('ck_invite_email', `octet_length(email) = length(email)`)
@Check('ck_invite_inviter_role', `"inviter_role" IN ('owner', 'admin')`)
@Check('ck_invite_role', `"role" IN ('owner', 'admin', 'agent')`)
@Check('ck_invite_status', `"status" IN ('pending', 'accepted', 'revoked')`)
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_invite_workspace', onDelete: 'CASCADE' })
@ForeignKey('member', ['workspaceId', 'invitedBy'], ['workspaceId', 'id'], { name: 'fk_invite_invited_by' })
@ForeignKey('api_key', ['workspaceId', 'apiKeyId'], ['workspaceId', 'id'], { name: 'fk_invite_api_key' })
export class InviteEntity implements Invite {
  @KeyColumn('workspace_id', 'pk_invite')
  workspaceId!: string;

  @KeyColumn('id', 'pk_invite')
  id!: string;

  @TextColumn('email')
  email!: string;

  @TextColumn('role')
  role!: Role;

  @IdColumn('channel_ids', { array: true, nullable: true })
  channelIds!: string[] | null;

  @TextColumn('status', { default: 'pending' })
  status!: InviteState;

  @TextColumn('token_hash')
  tokenHash!: string;

  @TextColumn('mailed_token_hash', { nullable: true })
  mailedTokenHash!: string | null;

  @IdColumn('invited_by', { nullable: true })
  invitedBy!: string | null;

  @IdColumn('api_key_id', { nullable: true })
  apiKeyId!: string | null;

  @TextColumn('inviter_role', { nullable: true })
  inviterRole!: Role | null;

  @TimeColumn('expires_at')
  expiresAt!: Date;

  @TimeColumn('accepted_at', { nullable: true })
  acceptedAt!: Date | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;
}
