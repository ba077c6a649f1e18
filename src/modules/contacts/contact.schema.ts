import { Locale, Timezone } from '../../platform/schemas/local-fields.js';
import {
  Choice,
  Email,
  Flag,
  FreeForm,
  Id,
  Ids,
  Integer,
  Nested,
  NestedList,
  Text,
  Texts,
  Time,
} from '../../platform/schemas/fields.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import type { ContactDuplicate, ContactRecord } from './contact.js';

const optional = true;
const nullable = true;
const EXTERNAL_ID =
  "The site's own id for its user. The id of an unverified contact is a secret that opens its history, so it is null " +
  'unless the caller has scope `all` or is an API key with `conversations:read`.';
const DUPLICATES =
  'With `include=duplicates`: at most 10 other contacts with the same `external_id`, if the caller can see it, or the ' +
  'same e-mail. Anybody can type an e-mail, so that one is a hint.';
const webAddress = /^https?:\/\//;

export class ListContactsQuery extends PageQuery {
  @Text({
    optional,
    description: 'Search name, e-mail and phone. Also matches a complete `external_id` that the caller can see.',
  })
  query?: string;
  @Text({
    optional,
    max: 255,
    description: 'Only the contact with this `external_id`. Finds nothing if the caller cannot see it.',
  })
  external_id?: string;
}

export class GetContactQuery {
  @Choice(['duplicates'], { optional, description: 'Also return contacts that may be the same person.' })
  include?: 'duplicates';
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
  @Text({ optional, nullable, max: 255, description: 'Null removes it. The id of a verified contact cannot change.' })
  external_id?: string | null;
  @Text({ optional, nullable, example: 'Vera Lindqvist' }) name?: string | null;
  @Email({ optional, nullable }) email?: string | null;
  @Text({ optional, nullable, max: 50, example: '+49 30 1234567' }) phone?: string | null;
  @Text({ optional, nullable, max: 2048, pattern: webAddress, example: 'https://shop.example/vera.png' }) avatar_url?:
    string | null;
  @Locale({ optional, nullable }) locale?: string | null;
  @Timezone({ optional, nullable }) timezone?: string | null;
  @FreeForm({ optional }) custom_attributes?: Record<string, unknown>;
  @Flag({
    optional,
    description: 'Whether the present address wants no follow-ups by mail. Admins and API keys only.',
  })
  email_unsubscribed?: boolean;
}

export class MergeContactBody {
  @Id({ description: 'The contact to merge into this one.' }) from_id!: string;
  @Flag({ optional, description: 'Return the result without changing anything.' }) dry_run?: boolean;
}

/** A contact that may be the same person. */
export class ContactDuplicateView implements ContactDuplicate {
  @Id() id!: string;
  @Text({ nullable, example: 'Vera Lindqvist' }) name!: string | null;
  @Flag() verified!: boolean;
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
  @Flag({ description: 'Whether the address wants no follow-ups by mail. Applies to all contacts with it.' })
  email_unsubscribed!: boolean;
  @FreeForm() custom_attributes!: Record<string, unknown>;
  @Choice(['online', 'offline'], { optional, description: 'Absent in webhooks.' })
  presence?: 'online' | 'offline';
  @NestedList(() => ContactDuplicateView, { optional, description: DUPLICATES }) duplicates?: ContactDuplicateView[];
  @Time({ nullable, description: 'Updated once a minute while the contact is connected.' }) last_seen_at!:
    string | null;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}

export class ContactMergeView {
  @Nested(() => ContactView) contact!: ContactView;
  @Flag({ description: 'Whether this was a dry run.' }) dry_run!: boolean;
  @Texts({ maxItems: 20, description: 'Fields that were taken from the other contact.' }) taken_over!: string[];
  @Integer({ description: 'Number of conversations that were moved.' }) conversations!: number;
  @Ids({
    description: 'Conversations that were resolved because a channel allows one unresolved conversation per contact.',
  })
  resolved_conversation_ids!: string[];
}
