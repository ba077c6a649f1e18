import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { KeyColumn, WrittenAtColumn } from '../../platform/database/columns.js';

/** An address that wants no follow-ups of a workspace. Only its hash is stored: it outlives an erased contact. */
@Entity({ name: 'unsubscribed_address' })
@ForeignKey('workspace', ['workspaceId'], ['id'], {
  name: 'fk_unsubscribed_address_workspace',
  onDelete: 'CASCADE',
})
export class UnsubscribedAddressEntity {
  @KeyColumn('workspace_id', 'pk_unsubscribed_address')
  workspaceId!: string;

  /** See `addressHash`. */
  @PrimaryColumn({ name: 'address_hash', type: 'text', primaryKeyConstraintName: 'pk_unsubscribed_address' })
  addressHash!: string;

  @WrittenAtColumn('unsubscribed_at')
  unsubscribedAt!: Date;
}

/** SQL that is true if the address of a contact is unsubscribed. It computes the same hash as `addressHash`. */
export function isUnsubscribed(contact: string): string {
  const hash = `encode(sha256(convert_to(concat(${contact}.workspace_id, ' ', ${contact}.email), 'UTF8')), 'hex')`;
  return `EXISTS (SELECT FROM unsubscribed_address
    WHERE unsubscribed_address.workspace_id = ${contact}.workspace_id AND address_hash = ${hash})`;
}
