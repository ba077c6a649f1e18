import { Choice, Nested, NestedList, Text } from '../../platform/schemas/fields.js';
import { VisitorMessageBody } from '../messages/index.js';

export const ACTION_TYPES = ['handoff', 'resolve'] as const;
/** Messages of one answer. The limit of messages in a row is the same. */
const MAX_MESSAGES = 20;
const optional = true;

/** A message of a bot's answer. `client_message_id` is set by the service. */
export class BotMessageBody extends VisitorMessageBody {}

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
