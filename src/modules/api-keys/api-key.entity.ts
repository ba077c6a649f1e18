import { Entity, ForeignKey, Unique } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { ApiKey } from './api-key.js';

@Entity({ name: 'api_key' })
@Unique('uq_api_key_hash', ['keyHash'])
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_api_key_workspace', onDelete: 'CASCADE' })
@ForeignKey('member', ['workspaceId', 'createdBy'], ['workspaceId', 'id'], { name: 'fk_api_key_created_by' })
export class ApiKeyEntity implements ApiKey {
  @KeyColumn('workspace_id', 'pk_api_key')
  workspaceId!: string;

  @KeyColumn('id', 'pk_api_key')
  id!: string;

  @TextColumn('name')
  name!: string;

  @TextColumn('key_hash')
  keyHash!: string;

  @TextColumn('key_prefix')
  keyPrefix!: string;

  @TextColumn('scopes', { array: true })
  scopes!: string[];

  @TimeColumn('expires_at', { nullable: true })
  expiresAt!: Date | null;

  @TimeColumn('last_used_at', { nullable: true })
  lastUsedAt!: Date | null;

  @IdColumn('created_by')
  createdBy!: string;

  @TimeColumn('revoked_at', { nullable: true })
  revokedAt!: Date | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;
}
