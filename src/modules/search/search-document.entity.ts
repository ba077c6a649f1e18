import { Check, Column, Entity, Index } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';
import type { SearchedType } from './search-document.js';

/**
 * The terms of a message, conversation or contact. It has no foreign keys, because each would cost a lookup per message;
 * a hit is read again from its own row.
 */
@Entity({ name: 'search_document' })
@Index('ix_search_document_terms', { synchronize: false })
@Check('ck_search_document_type', `"type" IN ('message', 'conversation', 'contact')`)
export class SearchDocumentEntity {
  @KeyColumn('workspace_id', 'pk_search_document')
  workspaceId!: string;

  @KeyColumn('id', 'pk_search_document')
  id!: string;

  @TextColumn('type')
  type!: SearchedType;

  @Column({ name: 'segment_id', type: 'integer' })
  segmentId!: number;

  @IdColumn('channel_id', { nullable: true })
  channelId!: string | null;

  @TimeColumn('created_at')
  createdAt!: Date;

  @Column({ name: 'terms', type: 'tsvector' })
  terms!: string;
}
