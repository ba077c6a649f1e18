/**
 * Verifies the requests that the service sends to webhooks and to bots. An entry of its own, for servers: it needs the
 * package `standardwebhooks`, which no page loads.
 */
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { components } from './generated/openapi.js';
import type { AttachmentView, ContactView, ConversationView, FreeForm, MessageView, WireTime } from './types.js';

type Schemas = components['schemas'];

/**
 * The body of a webhook's delivery. Without `include_private`, `data` is the public view of the event. Files have no
 * URLs in it.
 */
export interface WebhookEvent<Data = FreeForm> {
  /** The same on every attempt, and equal to the header `webhook-id`. */
  id: string;
  /** An event type, such as `message.created`, or `webhook.test`. */
  type: string;
  timestamp: WireTime;
  workspace_id: string;
  cursor: string;
  data: Data;
}

/** A message as a bot receives it: files have no URLs. */
export type BotDeliveryMessage = Omit<MessageView, 'attachments'> & {
  attachments: Pick<AttachmentView, 'id' | 'name' | 'content_type' | 'size'>[];
};

/** A contact wrote to a conversation that the bot controls. Answer with a {@link BotAnswer}. */
export interface BotMessageDelivery {
  event: 'message.created';
  /** The same on every attempt, and equal to the header `webhook-id`. */
  delivery_id: string;
  conversation: Omit<ConversationView, 'contact'>;
  message: BotDeliveryMessage;
  contact: Omit<ContactView, 'presence' | 'duplicates'>;
  /** Public messages before this one, oldest first. */
  history: BotDeliveryMessage[];
}

/** The bot is no longer in control of a conversation. The answer is ignored. */
export interface BotEndDelivery {
  event: 'conversation.ended';
  delivery_id: string;
  conversation: Omit<ConversationView, 'contact'>;
  reason: 'taken' | 'handed_off' | 'resolved' | 'closed_by_contact';
}

/** A delivery of `bots.test()`, which belongs to no conversation. Nothing of the answer is stored. */
export interface BotTestDelivery {
  event: 'test';
  delivery_id: string;
  conversation: Pick<ConversationView, 'id' | 'workspace_id' | 'contact_id' | 'bot_id' | 'number'>;
  message: Pick<MessageView, 'id' | 'conversation_id' | 'seq' | 'sender_type' | 'content' | 'created_at'>;
  contact: Pick<ContactView, 'id' | 'external_id' | 'name' | 'email' | 'verified'>;
  history: [];
}

export type BotDelivery = BotMessageDelivery | BotEndDelivery | BotTestDelivery;

/** The answer to a contact's message. Without messages and action, the bot answers later through the API. */
export interface BotAnswer {
  messages?: Schemas['BotMessageBody'][];
  action?: { type: 'handoff' | 'resolve'; reason?: string; summary?: string };
}

/** Headers of Node, or of the Fetch API. */
export type WebhookHeaders =
  { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The request was not signed with the secret, or more than 5 minutes ago. Answer 401. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError';
}

/**
 * Verifies the signature and the age of a request, and returns its body. A request may arrive twice, with the same
 * `webhook-id`.
 * @param body as it arrived: a body that was parsed and serialized again has another signature
 * @param secret `whsec_…`, from the response that created the webhook or bot, or replaced its secret
 * @throws WebhookSignatureError
 */
export function verifyWebhook<Body extends object = WebhookEvent>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): Body {
  const webhook = new Webhook(secret);
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  try {
    webhook.verify(text, signatureHeaders(headers), { jsonParse: false });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    throw new WebhookSignatureError(error.message, { cause: error });
  }
  return JSON.parse(text) as Body;
}

function signatureHeaders(headers: WebhookHeaders): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return Object.fromEntries(names.map(name => [name, readHeader(headers, name)]));
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : headers[name];
  return typeof value === 'string' ? value : '';
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
