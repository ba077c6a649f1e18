import { Locale, Timezone } from '../../platform/http/desk-fields.js';
import {
  Choice,
  Email,
  Flag,
  FreeForm,
  Id,
  Ids,
  Integer,
  Nested,
  Text,
  Texts,
  Time,
} from '../../platform/http/fields.js';
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

export class MergeContactBody {
  @Id({ description: 'The contact that goes into this one.' }) from_id!: string;
  @Flag({ optional, description: 'Tells what would happen, and leaves everything as it is.' }) dry_run?: boolean;
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
  @Choice(['online', 'offline'], { optional, description: 'Not of contacts that webhooks tell of.' })
  presence?: 'online' | 'offline';
  @Time({ nullable, description: 'To the minute, while it is connected.' }) last_seen_at!: string | null;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}

export class ContactMergeView {
  @Nested(() => ContactView) contact!: ContactView;
  @Flag({ description: 'Whether this is only what would happen.' }) dry_run!: boolean;
  @Texts({ maxItems: 20, description: 'Fields of the contact that the other one has filled.' }) taken_over!: string[];
  @Integer({ description: 'How many conversations have gone over to the contact.' }) conversations!: number;
  @Ids({ description: 'The older of two unresolved conversations of a channel, where it keeps one.' })
  resolved_conversation_ids!: string[];
}
