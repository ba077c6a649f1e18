import { Locale, Timezone } from '../../platform/http/desk-fields.js';
import { Email, Flag, FreeForm, Id, Text, Time } from '../../platform/http/fields.js';
import { PageQuery } from '../../platform/http/page.schema.js';
import type { ContactRecord } from './contact.js';

const optional = true;
const nullable = true;
const webAddress = /^https?:\/\//;

export class ListContactsQuery extends PageQuery {
  @Text({ optional, description: 'Looked for within name, e-mail, phone and external_id.' }) query?: string;
}

export class CreateContactBody {
  @Text({ optional, max: 255 }) external_id?: string;
  @Text({ optional }) name?: string;
  @Email({ optional }) email?: string;
  @Text({ optional, max: 50 }) phone?: string;
  @Text({ optional, max: 2048, pattern: webAddress }) avatar_url?: string;
  @Locale({ optional }) locale?: string;
  @Timezone({ optional }) timezone?: string;
  @FreeForm({ optional }) custom_attributes?: Record<string, unknown>;
}

export class UpdateContactBody {
  @Text({ optional, nullable, max: 255, description: 'Null takes it away; sessions without proof end with it.' })
  external_id?: string | null;
  @Text({ optional, nullable }) name?: string | null;
  @Email({ optional, nullable }) email?: string | null;
  @Text({ optional, nullable, max: 50 }) phone?: string | null;
  @Text({ optional, nullable, max: 2048, pattern: webAddress }) avatar_url?: string | null;
  @Locale({ optional, nullable }) locale?: string | null;
  @Timezone({ optional, nullable }) timezone?: string | null;
  @FreeForm({ optional }) custom_attributes?: Record<string, unknown>;
}

export class ContactView implements ContactRecord {
  @Id() id!: string;
  @Text({ nullable, max: 255 }) external_id!: string | null;
  @Text({ nullable }) name!: string | null;
  @Email({ nullable }) email!: string | null;
  @Text({ nullable, max: 50 }) phone!: string | null;
  @Text({ nullable, max: 2048 }) avatar_url!: string | null;
  @Locale({ nullable }) locale!: string | null;
  @Timezone({ nullable }) timezone!: string | null;
  @Flag() verified!: boolean;
  @Flag() blocked!: boolean;
  @FreeForm() custom_attributes!: Record<string, unknown>;
  @Time({ nullable }) last_seen_at!: string | null;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}
