import { Entity, ForeignKey, Index, Unique } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { SsoTicket } from './sso-ticket.js';

@Entity({ name: 'sso_ticket' })
@Unique('uq_sso_ticket_hash', ['ticketHash'])
@Index('ix_sso_ticket_member', ['workspaceId', 'memberId'])
@Index('ix_sso_ticket_expires_at', ['expiresAt'])
@ForeignKey('member', ['workspaceId', 'memberId'], ['workspaceId', 'id'], {
  name: 'fk_sso_ticket_member',
  onDelete: 'CASCADE',
})
@ForeignKey('api_key', ['workspaceId', 'apiKeyId'], ['workspaceId', 'id'], {
  name: 'fk_sso_ticket_api_key',
  onDelete: 'CASCADE',
})
export class SsoTicketEntity implements SsoTicket {
  @KeyColumn('workspace_id', 'pk_sso_ticket')
  workspaceId!: string;

  @KeyColumn('id', 'pk_sso_ticket')
  id!: string;

  @TextColumn('ticket_hash')
  ticketHash!: string;

  @IdColumn('member_id')
  memberId!: string;

  @IdColumn('api_key_id')
  apiKeyId!: string;

  @IdColumn('channel_ids', { array: true, nullable: true })
  channelIds!: string[] | null;

  @TimeColumn('expires_at')
  expiresAt!: Date;

  @TimeColumn('spent_at', { nullable: true })
  spentAt!: Date | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;
}
