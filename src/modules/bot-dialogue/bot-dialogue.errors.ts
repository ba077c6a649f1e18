import { defineError } from '../../kernel/domain-error.js';

export const BotUrlMissing = defineError(
  'unprocessable',
  'bot_url_missing',
  'The bot has no `webhook_url`. Set it before you test it.',
);
