import { Choice, Id, Integer, Text, Time } from '../../platform/schemas/fields.js';
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
    "URL that receives the messages of the bot's conversations. Must be http or https (https in production), and not " +
    'an address in a private network. Without a URL the bot only sends through the API. Agents see it without its query.',
};
const HISTORY = { max: HISTORY_COUNT.max, description: 'Number of earlier messages in each delivery.' };
const TIMEOUT = {
  min: TIMEOUT_SECONDS.min,
  max: TIMEOUT_SECONDS.max,
  description: 'Seconds without an answer from the bot after which a conversation is handed off to people.',
};

/** Null clears a field. `CreateBotBody` excludes null, because a new bot has nothing to clear. */
export class UpdateBotBody {
  @Text({ optional, example: 'Parcel bot' }) name?: string;
  @Text({ optional, nullable, ...DESCRIPTION, example: 'Answers questions about parcels.' }) description?:
    string | null;
  @Text({ optional, nullable, ...WEB_ADDRESS, example: 'https://shop.example/bot.png' }) avatar_url?: string | null;
  @Choice(BOT_STATUSES, { optional, description: 'A disabled bot sends no messages.' }) status?: BotStatus;
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

/** Response to creating a bot or rotating its secret. No other response contains the secret. */
export class BotWithSecretView extends BotView {
  @Text({
    pattern: /^whsec_[A-Za-z0-9+/]{43}=$/,
    description: 'Secret that signs deliveries by the Standard Webhooks scheme. Shown only once.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq=',
  })
  secret!: string;
}
