import { Entity, ForeignKey, Index } from 'typeorm';
import type { Actor, EventType } from '../../kernel/domain-event.js';
import { IdColumn, JsonColumn, KeyColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';
import type { AuditSubject } from '../../kernel/audit-subject.js';
import type { AuditEntry } from './audit-entry.js';

@Entity({ name: 'audit_entry' })
@Index('ix_audit_entry_recorded_at', ['workspaceId', 'recordedAt', 'id'])
@Index('ix_audit_entry_action', ['workspaceId', 'action', 'recordedAt', 'id'])
@Index('ix_audit_entry_actor', ['workspaceId', 'actorId', 'recordedAt', 'id'])
@Index('ix_audit_entry_subject', ['workspaceId', 'subjectId', 'recordedAt', 'id'])
@Index('ix_audit_entry_age', ['recordedAt'])
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_audit_entry_workspace', onDelete: 'CASCADE' })
export class AuditEntryEntity implements AuditEntry {
  @KeyColumn('workspace_id', 'pk_audit_entry')
  workspaceId!: string;

  @KeyColumn('id', 'pk_audit_entry')
  id!: string;

  @TextColumn('action')
  action!: EventType;

  @TextColumn('actor_type')
  actorType!: Actor['type'];

  @IdColumn('actor_id', { nullable: true })
  actorId!: string | null;

  @TextColumn('subject_type')
  subjectType!: AuditSubject['type'];

  @IdColumn('subject_id', { nullable: true })
  subjectId!: string | null;

  @JsonColumn('details')
  details!: object;

  @TextColumn('request_id', { nullable: true })
  requestId!: string | null;

  @TextColumn('address', { nullable: true })
  address!: string | null;

  @TextColumn('user_agent', { nullable: true })
  userAgent!: string | null;

  @TimeColumn('recorded_at')
  recordedAt!: Date;
}
