import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { Tag } from './tag.js';

@Entity({ name: 'tag' })
@Index('uq_tag_key', ['workspaceId', 'key'], { unique: true, where: `"removed_at" IS NULL` })
@Index('ix_tag_merged', ['workspaceId', 'mergedInto'], { where: `"merged_into" IS NOT NULL` })
@Index('ix_tag_removed', ['removedAt'], { where: `"removed_at" IS NOT NULL` })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_tag_workspace', onDelete: 'CASCADE' })
@ForeignKey('tag', ['workspaceId', 'mergedInto'], ['workspaceId', 'id'], { name: 'fk_tag_merged_into' })
export class TagEntity implements Tag {
  @KeyColumn('workspace_id', 'pk_tag')
  workspaceId!: string;

  @KeyColumn('id', 'pk_tag')
  id!: string;

  @TextColumn('name')
  name!: string;

  @TextColumn('key')
  key!: string;

  @IdColumn('merged_into', { nullable: true })
  mergedInto!: string | null;

  @TimeColumn('removed_at', { nullable: true })
  removedAt!: Date | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;
}

/** Number of unresolved conversations by tag and channel, updated with each change of a conversation. */
@Entity({ name: 'tag_tally' })
export class TagTallyEntity {
  @KeyColumn('workspace_id', 'pk_tag_tally')
  workspaceId!: string;

  @KeyColumn('tag_id', 'pk_tag_tally')
  tagId!: string;

  @KeyColumn('channel_id', 'pk_tag_tally')
  channelId!: string;

  @Column({ name: 'count', type: 'integer' })
  count!: number;
}
