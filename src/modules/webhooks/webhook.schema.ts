import { Choice, Flag, Id, Ids, Text, Texts, Time } from '../../platform/schemas/fields.js';
import type { DisabledReason, WebhookRecord } from './webhook.js';
import { DISABLED_REASONS } from './webhook.js';

const optional = true;
const nullable = true;
const DESCRIPTION = { max: 1000, example: 'Copies conversations to the CRM.' };
const URL = {
  max: 2048,
  format: 'uri',
  example: 'https://93.184.215.14/hooks/support',
  description:
    'URL that receives the events. Must be http or https (https in production), and not an address in a private network. People see it without its query, API keys see all of it.',
};
const EVENTS = {
  maxItems: 50,
  max: 100,
  example: ['contact.merged', 'contact.deleted'],
  description: 'Event types: `*`, all of a resource as `message.*`, or single ones as `message.created`.',
};
const CHANNELS = {
  maxItems: 100,
  description:
    'Limits the webhook to events of these channels and of contacts met there; null for the whole workspace. With channels, the `external_id` of unverified contacts is null.',
};
const PRIVATE = {
  description: 'Include private notes, and what follows from them. Data is then as agents receive it.',
};

export class CreateWebhookBody {
  @Text(URL) url!: string;
  @Texts(EVENTS) events!: string[];
  @Ids({ optional, ...CHANNELS }) channel_ids?: string[];
  @Flag({ optional, ...PRIVATE }) include_private?: boolean;
  @Flag({ optional }) enabled?: boolean;
  @Text({ optional, ...DESCRIPTION }) description?: string;
}

export class UpdateWebhookBody {
  @Text({ optional, ...DESCRIPTION, nullable }) description?: string | null;
  @Text({ optional, ...URL }) url?: string;
  @Texts({ optional, ...EVENTS }) events?: string[];
  @Ids({ optional, nullable, ...CHANNELS }) channel_ids?: string[] | null;
  @Flag({ optional, ...PRIVATE }) include_private?: boolean;
  @Flag({ optional, description: 'Disabling ends pending deliveries as `failed`. Enabling begins with new events.' })
  enabled?: boolean;
}

export class WebhookView implements WebhookRecord {
  @Id() id!: string;
  @Text(URL) url!: string;
  @Texts(EVENTS) events!: string[];
  @Ids({ nullable, ...CHANNELS }) channel_ids!: string[] | null;
  @Flag(PRIVATE) include_private!: boolean;
  @Flag() enabled!: boolean;
  @Choice(DISABLED_REASONS, {
    nullable,
    description: 'Why the service disabled it: `gone` after a 410, `failing` after five days without a success.',
  })
  disabled_reason!: DisabledReason | null;
  @Text({ ...DESCRIPTION, nullable }) description!: string | null;
  @Time() created_at!: string;
  @Time({ nullable }) last_success_at!: string | null;
}

/** Response to creating a webhook or rotating its secret. No other response contains the secret. */
export class WebhookWithSecretView extends WebhookView {
  @Text({
    pattern: /^whsec_[A-Za-z0-9+/]{43}=$/,
    description: 'Secret that signs deliveries by the Standard Webhooks scheme. Shown only once.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq=',
  })
  secret!: string;
}
