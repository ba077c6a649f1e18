import type { BusinessHours } from '../../kernel/business-hours.js';
import { Hours, Locale, Timezone } from '../../platform/schemas/local-fields.js';
import { Id, Text, Time } from '../../platform/schemas/fields.js';
import type { WorkspaceRecord } from './workspace.js';

export class UpdateWorkspaceBody {
  @Text({ optional: true, example: 'Harbour Pine' }) name?: string;
  @Locale({ optional: true }) locale?: string;
  @Timezone({ optional: true }) timezone?: string;
  @Hours({ optional: true }) business_hours?: BusinessHours | null;
}

export class WorkspaceView implements WorkspaceRecord {
  @Id() id!: string;
  @Text({ example: 'Harbour Pine' }) name!: string;
  @Locale() locale!: string;
  @Timezone() timezone!: string;
  @Hours() business_hours!: BusinessHours | null;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}
