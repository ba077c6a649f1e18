import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The bytes that a workspace's files take or have reserved. */
@Entity({ name: 'file_usage' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_file_usage_workspace' })
export class FileUsageEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'uuid', primaryKeyConstraintName: 'pk_file_usage' })
  workspaceId!: string;

  @Column({ name: 'bytes', type: 'bigint' })
  bytes!: string;
}
