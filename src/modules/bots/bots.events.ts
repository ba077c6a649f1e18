import type { EventDefinitions } from '../../kernel/event-definition.js';
import { auditedAs, NOT_SENT, workspaceRecord } from '../../kernel/event-definition.js';
import type { BotRecord } from './bot.js';

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'bot.created': BotRecord;
    'bot.updated': BotRecord;
    'bot.deleted': BotRecord;
    'bot.secret_rotated': BotRecord;
  }
}

const bot = { audit: auditedAs('bot'), personal: 'none' } as const;

export const BOT_EVENTS: EventDefinitions<'bot.created' | 'bot.updated' | 'bot.deleted' | 'bot.secret_rotated'> = {
  'bot.created': { summary: 'A bot was created.', ...workspaceRecord('BotView'), ...bot },
  'bot.updated': { summary: 'A bot was updated.', ...workspaceRecord('BotView'), ...bot },
  'bot.deleted': { summary: 'A bot was deleted.', ...workspaceRecord('BotView'), ...bot },
  'bot.secret_rotated': { summary: 'The secret of a bot was rotated.', ...NOT_SENT, ...bot },
};
