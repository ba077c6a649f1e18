import { FreeForm, Id, Nested, Text, Time } from '../../platform/schemas/fields.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';

const optional = true;
const nullable = true;

export class ListAuditLogQuery extends PageQuery {
  @Text({
    max: 64,
    optional,
    pattern: /^[a-z_]+\.(?:[a-z_]+|\*)$/,
    example: 'api_key.*',
    description: 'One action, or all actions on one kind of subject.',
  })
  action?: string;

  @Id({ optional, description: 'Id of the member or API key that acted.' })
  actor_id?: string;

  @Id({ optional, description: 'Id of the subject.' })
  subject_id?: string;

  @Time({ optional, description: 'Only entries at this time or later.' })
  since?: string;

  @Time({ optional, description: 'Only entries before this time.' })
  until?: string;
}

export class AuditActorView {
  @Text({ example: 'member', description: '`member`, `api_key` or `system`.' }) type!: string;
  @Id({ nullable }) id!: string | null;
  @Text({ nullable, description: 'Current name of the actor.', example: 'Ada Lovelace' }) name!: string | null;
}

export class AuditSubjectView {
  @Text({ example: 'api_key' }) type!: string;
  @Id({ nullable }) id!: string | null;
}

/** An administrative action: actor, subject, time and origin. */
export class AuditEntryView {
  @Id() id!: string;
  @Text({ example: 'api_key.created' }) action!: string;
  @Nested(() => AuditActorView) actor!: AuditActorView;
  @Nested(() => AuditSubjectView) subject!: AuditSubjectView;
  @FreeForm({ description: 'The subject at that time, or the changed fields. Contains no secrets.' }) details!: object;
  @Text({ nullable, description: 'The `X-Request-Id` of the request.', example: '3f9c2a7e41d85b06' })
  request_id!: string | null;
  @Text({ nullable, example: '203.0.113.7' }) address!: string | null;
  @Text({ nullable, max: 1_000, example: 'curl/8.5.0' }) user_agent!: string | null;
  @Time() created_at!: string;
}
