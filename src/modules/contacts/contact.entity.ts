import { Column, Entity, ForeignKey, Index, Unique, VirtualColumn } from 'typeorm';
import {
  IdColumn,
  JsonColumn,
  KeyColumn,
  TextColumn,
  TimeColumn,
  WrittenAtColumn,
} from '../../platform/database/columns.js';
import type { Contact } from './contact.js';
import { isUnsubscribed } from './unsubscribed-address.entity.js';

@Entity({ name: 'contact' })
@Unique('uq_contact_external_id', ['workspaceId', 'externalId', 'verified'])
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_contact_workspace', onDelete: 'CASCADE' })
@ForeignKey('contact', ['workspaceId', 'mergedIntoId'], ['workspaceId', 'id'], { name: 'fk_contact_merged_into' })
@Index('ix_contact_search', { synchronize: false })
@Index('ix_contact_email_backwards', { synchronize: false })
@Index('ix_contact_email', ['workspaceId', 'email', 'verified', 'id'], {
  where: `"email" IS NOT NULL AND "ended_at" IS NULL`,
})
@Index('ix_contact_merged_into', ['workspaceId', 'mergedIntoId'], { where: `"merged_into_id" IS NOT NULL` })
export class ContactEntity implements Contact {
  @KeyColumn('workspace_id', 'pk_contact')
  workspaceId!: string;

  @KeyColumn('id', 'pk_contact')
  id!: string;

  @TextColumn('external_id', { nullable: true })
  externalId!: string | null;

  @Column({ name: 'verified', type: 'boolean', default: false })
  verified!: boolean;

  @TextColumn('name', { nullable: true })
  name!: string | null;

  @TextColumn('email', { nullable: true })
  email!: string | null;

  @TextColumn('phone', { nullable: true })
  phone!: string | null;

  @TextColumn('avatar_url', { nullable: true })
  avatarUrl!: string | null;

  @TextColumn('locale', { nullable: true })
  locale!: string | null;

  @TextColumn('timezone', { nullable: true })
  timezone!: string | null;

  @Column({ name: 'blocked', type: 'boolean', default: false })
  blocked!: boolean;

  @VirtualColumn({ type: 'boolean', query: contact => `SELECT ${isUnsubscribed(contact)}` })
  emailUnsubscribed!: boolean;

  @JsonColumn('custom_attributes', { default: {} })
  customAttributes!: Record<string, unknown>;

  @Column({ name: 'token_generation', type: 'integer', default: 1 })
  tokenGeneration!: number;

  @TimeColumn('ended_at', { nullable: true })
  endedAt!: Date | null;

  @IdColumn('merged_into_id', { nullable: true })
  mergedIntoId!: string | null;

  @TimeColumn('last_seen_at', { nullable: true })
  lastSeenAt!: Date | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}

/** Channels that a contact came through. A session limited to some channels sees only contacts of those. */
@Entity({ name: 'contact_channel' })
@ForeignKey('contact', ['workspaceId', 'contactId'], ['workspaceId', 'id'], {
  name: 'fk_contact_channel_contact',
  onDelete: 'CASCADE',
})
@ForeignKey('channel', ['workspaceId', 'channelId'], ['workspaceId', 'id'], { name: 'fk_contact_channel_channel' })
export class ContactChannelEntity {
  @KeyColumn('workspace_id', 'pk_contact_channel')
  workspaceId!: string;

  @KeyColumn('contact_id', 'pk_contact_channel')
  contactId!: string;

  @KeyColumn('channel_id', 'pk_contact_channel')
  channelId!: string;
}
