import type { CreateWebhookBody, UpdateWebhookBody, WebhookView } from '@support-chat/sdk';
import type { TextKey } from './texts/index.js';

/** Texts of the faults by field. */
export const WEBHOOK_FIELDS = {
  url: 'addressInvalid',
  description: 'descriptionInvalid',
  events: 'eventsMissing',
  channel_ids: 'channelsMissing',
  include_private: 'eventsMissing',
} as const satisfies Record<string, TextKey>;

export type WebhookField = keyof typeof WEBHOOK_FIELDS;

/** A form has texts only: lists are joined by spaces, `channel_ids` of all channels is `all`. */
export type WebhookValues = Record<WebhookField, string>;

export const OPTIONAL: readonly WebhookField[] = ['description', 'include_private'];
const ALL_CHANNELS = 'all';

export const joined = (list: readonly string[]): string => [...list].sort().join(' ');
export const listOf = (text: string): string[] => text.split(' ').filter(each => each !== '');
export const channelsOf = (text: string): string[] | null => (text === ALL_CHANNELS ? null : listOf(text));
export const channelText = (ids: readonly string[] | null): string => (ids === null ? ALL_CHANNELS : joined(ids));

export function valuesOf(webhook?: WebhookView): WebhookValues {
  return {
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    events: joined(webhook?.events ?? ['*']),
    channel_ids: channelText(webhook?.channel_ids ?? null),
    include_private: webhook?.include_private ? 'on' : '',
  };
}

/**
 * The fields that differ from the initial values. People do not see the query of the address, so an unchanged address
 * must not be sent back.
 */
export function changesOf(values: WebhookValues, initial: WebhookValues): UpdateWebhookBody {
  const body = {
    url: values.url.trim(),
    description: values.description.trim() || null,
    events: listOf(values.events),
    channel_ids: channelsOf(values.channel_ids),
    include_private: values.include_private === 'on',
  };
  const changed = Object.entries(body).filter(
    ([field]) => values[field as WebhookField].trim() !== initial[field as WebhookField].trim(),
  );
  return Object.fromEntries(changed);
}

/** The body of a new webhook, without empty fields. */
export function bodyOf(values: WebhookValues): CreateWebhookBody {
  const filled = Object.entries(changesOf(values, valuesOf())).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(filled), url: values.url.trim(), events: listOf(values.events) };
}
