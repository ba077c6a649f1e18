import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { Session } from './session.js';

@Entity({ name: 'session' })
@Index('ix_session_family', ['familyId'])
@Index('ix_session_user', ['userId'])
@Index('ix_session_member', ['workspaceId', 'memberId'])
@Index('ix_session_api_key', ['workspaceId', 'apiKeyId'], { where: `"api_key_id" IS NOT NULL` })
@ForeignKey('api_key', ['workspaceId', 'apiKeyId'], ['workspaceId', 'id'], { name: 'fk_session_api_key' })
@ForeignKey('member', ['workspaceId', 'memberId'], ['workspaceId', 'id'], {
  name: 'fk_session_member',
  onDelete: 'CASCADE',
})
@ForeignKey('user_account', ['userId'], ['id'], { name: 'fk_session_user' })
export class SessionEntity implements Session {
  @KeyColumn('workspace_id', 'pk_session')
  workspaceId!: string;

  @KeyColumn('id', 'pk_session')
  id!: string;

  @IdColumn('family_id')
  familyId!: string;

  @IdColumn('member_id')
  memberId!: string;

  @IdColumn('user_id')
  userId!: string;

  @IdColumn('channel_ids', { array: true, nullable: true })
  channelIds!: string[] | null;

  @Column({ name: 'workspace_bound', type: 'boolean' })
  workspaceBound!: boolean;

  @IdColumn('api_key_id', { nullable: true })
  apiKeyId!: string | null;

  @Column({ name: 'rotate', type: 'boolean' })
  rotate!: boolean;

  @Column({ name: 'rotation', type: 'integer', default: 0 })
  rotation!: number;

  @TextColumn('refresh_hash')
  refreshHash!: string;

  @TimeColumn('rotated_at', { nullable: true })
  rotatedAt!: Date | null;

  @TimeColumn('ended_at', { nullable: true })
  endedAt!: Date | null;

  @TimeColumn('expires_at')
  expiresAt!: Date;

  @WrittenAtColumn('created_at')
  createdAt!: Date;
}
