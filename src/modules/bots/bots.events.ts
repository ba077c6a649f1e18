import type { BotRecord } from './bot.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'bot.created': BotRecord;
    'bot.updated': BotRecord;
    'bot.deleted': BotRecord;
    'bot.secret_rotated': BotRecord;
  }
}
