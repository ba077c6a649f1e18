import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TextColumn, WrittenAtColumn } from '../../platform/database/columns.js';

/** The link in a mail by which its recipient unsubscribes. */
@Entity({ name: 'unsubscribe_link' })
@Index('ix_unsubscribe_link_created_at', ['createdAt'])
@ForeignKey('contact', ['workspaceId', 'contactId'], ['workspaceId', 'id'], {
  name: 'fk_unsubscribe_link_contact',
  onDelete: 'CASCADE',
})
export class UnsubscribeLinkEntity {
  @PrimaryColumn({ name: 'token_hash', type: 'text', primaryKeyConstraintName: 'pk_unsubscribe_link' })
  tokenHash!: string;

  @IdColumn('workspace_id')
  workspaceId!: string;

  @IdColumn('contact_id')
  contactId!: string;

  /** Identifies the address that the mail went to. */
  @TextColumn('address_hash')
  addressHash!: string;

  @WrittenAtColumn('created_at')
  createdAt!: Date;
}
