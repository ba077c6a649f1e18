import { Choice, Id, Integer, Text, Time } from '../../platform/http/fields.js';
import type { BotRecord, BotStatus } from './bot.js';
import { BOT_STATUSES, HISTORY_COUNT, TIMEOUT_SECONDS } from './bot.js';

const optional = true;
const nullable = true;
const DESCRIPTION = { max: 1000 };
const WEB_ADDRESS = { max: 2048, pattern: /^https?:\/\// };
const WEBHOOK_URL = {
  max: 2048,
  format: 'uri',
  description:
    "Where the messages of the bot's conversations are delivered: http(s), https in production, and no address of a " +
    'private network. Without one the bot only speaks through the API.',
};
const HISTORY = { max: HISTORY_COUNT.max, description: 'Earlier messages that each delivery carries.' };
const TIMEOUT = {
  min: TIMEOUT_SECONDS.min,
  max: TIMEOUT_SECONDS.max,
  description: 'Silence after which a conversation is handed over to people.',
};

/** Null clears; at creation there is nothing to clear. */
export class UpdateBotBody {
  @Text({ optional, example: 'Parcel bot' }) name?: string;
  @Text({ optional, nullable, ...DESCRIPTION, example: 'Answers questions about parcels.' }) description?:
    string | null;
  @Text({ optional, nullable, ...WEB_ADDRESS, example: 'https://shop.example/bot.png' }) avatar_url?: string | null;
  @Choice(BOT_STATUSES, { optional, description: 'A disabled bot says nothing.' }) status?: BotStatus;
  @Text({ optional, nullable, ...WEBHOOK_URL, example: 'https://bot.shop.example/hook' }) webhook_url?: string | null;
  @Integer({ optional, ...HISTORY }) history_count?: number;
  @Integer({ optional, ...TIMEOUT }) timeout_seconds?: number;
}

export class CreateBotBody extends UpdateBotBody {
  @Text() declare name: string;
  @Text({ optional, ...DESCRIPTION }) declare description?: string;
  @Text({ optional, ...WEB_ADDRESS }) declare avatar_url?: string;
  @Text({ optional, ...WEBHOOK_URL }) declare webhook_url?: string;
}

export class BotView implements BotRecord {
  @Id() id!: string;
  @Text({ example: 'Parcel bot' }) name!: string;
  @Text({ nullable, ...DESCRIPTION, example: 'Answers questions about parcels.' }) description!: string | null;
  @Text({ nullable, max: 2048, example: 'https://shop.example/bot.png' }) avatar_url!: string | null;
  @Choice(BOT_STATUSES) status!: BotStatus;
  @Text({ nullable, max: 2048, example: 'https://bot.shop.example/hook' }) webhook_url!: string | null;
  @Integer(HISTORY) history_count!: number;
  @Integer(TIMEOUT) timeout_seconds!: number;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}

/** A bot just made, or its secret just changed: the only times that the secret is shown. */
export class BotWithSecretView extends BotView {
  @Text({
    pattern: /^whsec_[A-Za-z0-9+/]{43}=$/,
    description: 'Signs its deliveries, as Standard Webhooks do; shown this once.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq=',
  })
  secret!: string;
}
