import { Column, Entity, ForeignKey, Index } from 'typeorm';
import {
  IdColumn,
  JsonColumn,
  KeyColumn,
  TextColumn,
  TimeColumn,
  WrittenAtColumn,
} from '../../platform/database/columns.js';
import type { View, ViewFilters } from './view.js';

@Entity({ name: 'inbox_view' })
@Index('uq_inbox_view_own', ['workspaceId', 'createdBy', 'nameKey'], { unique: true, where: 'NOT "shared"' })
@Index('uq_inbox_view_shared', ['workspaceId', 'nameKey'], { unique: true, where: '"shared"' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_inbox_view_workspace', onDelete: 'CASCADE' })
@ForeignKey('member', ['workspaceId', 'createdBy'], ['workspaceId', 'id'], { name: 'fk_inbox_view_created_by' })
export class ViewEntity implements View {
  @KeyColumn('workspace_id', 'pk_inbox_view')
  workspaceId!: string;

  @KeyColumn('id', 'pk_inbox_view')
  id!: string;

  @TextColumn('name')
  name!: string;

  @TextColumn('name_key')
  nameKey!: string;

  @JsonColumn('filters')
  filters!: ViewFilters;

  @Column({ name: 'shared', type: 'boolean' })
  shared!: boolean;

  @Column({ name: 'position', type: 'integer' })
  position!: number;

  @IdColumn('created_by', { nullable: true })
  createdBy!: string | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
