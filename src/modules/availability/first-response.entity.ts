import { Entity, ForeignKey, Index } from 'typeorm';
import { IdColumn, KeyColumn, TimeColumn } from '../../platform/database/columns.js';

/** The first answer of a person to a contact, kept as long as typical reply times need it. */
@Entity({ name: 'first_response' })
@Index('ix_first_response_channel', ['workspaceId', 'channelId', 'answeredAt'])
@Index('ix_first_response_answered_at', ['answeredAt'])
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ['workspaceId', 'id'], {
  name: 'fk_first_response_conversation',
  onDelete: 'CASCADE',
})
export class FirstResponseEntity {
  @KeyColumn('workspace_id', 'pk_first_response')
  workspaceId!: string;

  @KeyColumn('conversation_id', 'pk_first_response')
  conversationId!: string;

  @IdColumn('channel_id')
  channelId!: string;

  /** Since when the contact waited for a person. */
  @TimeColumn('asked_at')
  askedAt!: Date;

  @TimeColumn('answered_at')
  answeredAt!: Date;
}
