export type { Bot, BotRecord } from './bot.js';
export type { BotChange } from './bot-change-hooks.js';
export { BotChangeHooks } from './bot-change-hooks.js';
export { BotTeardownHooks } from './bot-teardown-hooks.js';
export { BotsModule } from './bots.module.js';
export { BotsService } from './bots.service.js';
