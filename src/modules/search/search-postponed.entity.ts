import { Check, Entity, Index } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';
import type { SearchedType } from './search-document.js';

/**
 * A thing with a long text that the consumer has left to a worker. It has no foreign key, because the consumer must not
 * wait for a workspace that is locked; the worker removes rows whose thing is gone.
 */
@Entity({ name: 'search_postponed' })
@Index('ix_search_postponed_postponed_at', ['postponedAt'])
@Check('ck_search_postponed_type', `"type" IN ('message', 'conversation', 'contact')`)
export class SearchPostponedEntity {
  @KeyColumn('workspace_id', 'pk_search_postponed')
  workspaceId!: string;

  @KeyColumn('id', 'pk_search_postponed')
  id!: string;

  @TextColumn('type')
  type!: SearchedType;

  /** null for conversations and contacts. */
  @IdColumn('channel_id', { nullable: true })
  channelId!: string | null;

  @TimeColumn('postponed_at')
  postponedAt!: Date;
}
