import { Column, Entity, ForeignKey, Unique } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { CannedResponse } from './canned-response.js';

@Entity({ name: 'canned_response' })
@Unique('uq_canned_response_short_code', ['workspaceId', 'shortCode'])
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_canned_response_workspace', onDelete: 'CASCADE' })
@ForeignKey('member', ['workspaceId', 'createdBy'], ['workspaceId', 'id'], { name: 'fk_canned_response_created_by' })
export class CannedResponseEntity implements CannedResponse {
  @KeyColumn('workspace_id', 'pk_canned_response')
  workspaceId!: string;

  @KeyColumn('id', 'pk_canned_response')
  id!: string;

  @TextColumn('short_code')
  shortCode!: string;

  @TextColumn('title')
  title!: string;

  @TextColumn('content')
  content!: string;

  @TextColumn('tags', { array: true, default: [] })
  tags!: string[];

  @IdColumn('created_by', { nullable: true })
  createdBy!: string | null;

  @Column({ name: 'usage_count', type: 'integer', default: 0 })
  usageCount!: number;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
