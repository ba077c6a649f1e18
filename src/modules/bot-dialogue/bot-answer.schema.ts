import { Choice, FreeForm, Id, Ids, Nested, NestedList, Text } from '../../platform/schemas/fields.js';
import { MAX_PER_MESSAGE } from '../attachments/index.js';
import type { ContentType } from '../messages/index.js';
import { MESSAGE_CHARS, SENDABLE_TYPES } from '../messages/index.js';

export const ACTION_TYPES = ['handoff', 'resolve'] as const;
/** Messages of one answer. The limit of messages in a row is the same. */
const MAX_MESSAGES = 20;
const optional = true;

/** A message of a bot's answer. The service sets its `client_message_id`. */
export class BotMessageBody {
  @Text({ optional, min: 0, max: MESSAGE_CHARS, example: 'Your parcel arrives tomorrow.' }) content?: string;
  @Choice(SENDABLE_TYPES, { optional, reserved: ['event'] }) content_type?: ContentType;
  @Ids({ optional, maxItems: MAX_PER_MESSAGE, description: 'Files that a key of the workspace has uploaded.' })
  attachment_ids?: string[];
  @FreeForm({ optional }) metadata?: Record<string, unknown>;
  @Id({ optional }) reply_to_id?: string;
}

export class BotActionAnswer {
  @Choice(ACTION_TYPES) type!: (typeof ACTION_TYPES)[number];
  @Text({ optional, max: 50, pattern: /^[a-z_]{1,50}$/, example: 'needs_refund' }) reason?: string;
  @Text({ optional, max: 2000, example: 'Wants her money back for order 4711.' }) summary?: string;
}

/** The answer of a bot's server, in the HTTP response. */
export class BotAnswer {
  @NestedList(() => BotMessageBody, { optional, maxItems: MAX_MESSAGES }) messages?: BotMessageBody[];
  @Nested(() => BotActionAnswer, { optional }) action?: BotActionAnswer;
}
