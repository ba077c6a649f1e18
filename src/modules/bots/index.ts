export type { Bot, BotRecord } from './bot.js';
export { BotTeardownHooks } from './bot-teardown-hooks.js';
export { BotsModule } from './bots.module.js';
export { BotsService } from './bots.service.js';
