import { Entity, Index } from 'typeorm';
import { JsonColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { BusinessHours } from '../../kernel/business-hours.js';
import type { Workspace } from './workspace.js';

@Entity({ name: 'workspace' })
@Index('ix_workspace_created_at', ['createdAt'])
export class WorkspaceEntity implements Workspace {
  @KeyColumn('id', 'pk_workspace')
  id!: string;

  @TextColumn('name')
  name!: string;

  @TextColumn('locale', { default: 'en' })
  locale!: string;

  @TextColumn('timezone', { default: 'UTC' })
  timezone!: string;

  @JsonColumn('business_hours', { nullable: true })
  businessHours!: BusinessHours | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
