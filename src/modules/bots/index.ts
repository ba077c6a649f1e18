export type { Bot, BotRecord } from './bot.js';
export { BotHoldings } from './bot-holdings.js';
export { BotsModule } from './bots.module.js';
export { BotsService } from './bots.service.js';
