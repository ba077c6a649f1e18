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
const EXTERNAL_ID =
  "The site's own id for its user. Of an unverified contact a secret, which opens its history: null unless the caller " +
  'has scope `all`, or is an API key with `conversations:read`.';
const webAddress = /^https?:\/\//;

export class ListContactsQuery extends PageQuery {
  @Text({
    optional,
    description: 'Looked for within name, e-mail and phone; an external_id is found as a whole, where it is shown.',
  })
  query?: string;
  @Text({ optional, max: 255, description: 'The whole external_id; finds nothing where it is not shown.' })
  external_id?: string;
}

export class CreateContactBody {
  @Text({ optional, max: 255, example: 'customer-42' }) external_id?: string;
  @Text({ optional, example: 'Vera Lindqvist' }) name?: string;
  @Email({ optional }) email?: string;
  @Text({ optional, max: 50, example: '+49 30 1234567' }) phone?: string;
  @Text({ optional, max: 2048, pattern: webAddress, example: 'https://shop.example/vera.png' }) avatar_url?: string;
  @Locale({ optional }) locale?: string;
  @Timezone({ optional }) timezone?: string;
  @FreeForm({ optional }) custom_attributes?: Record<string, unknown>;
}

export class UpdateContactBody {
  @Text({ optional, nullable, max: 255, description: 'Null takes it away. Never that of a verified contact.' })
  external_id?: string | null;
  @Text({ optional, nullable, example: 'Vera Lindqvist' }) name?: string | null;
  @Email({ optional, nullable }) email?: string | null;
  @Text({ optional, nullable, max: 50, example: '+49 30 1234567' }) phone?: string | null;
  @Text({ optional, nullable, max: 2048, pattern: webAddress, example: 'https://shop.example/vera.png' }) avatar_url?:
    string | null;
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
  @Text({ nullable, max: 255, example: 'customer-42', description: EXTERNAL_ID })
  external_id!: string | null;
  @Text({ nullable, example: 'Vera Lindqvist' }) name!: string | null;
  @Email({ nullable }) email!: string | null;
  @Text({ nullable, max: 50, example: '+49 30 1234567' }) phone!: string | null;
  @Text({ nullable, max: 2048, example: 'https://shop.example/vera.png' }) avatar_url!: string | null;
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
