export type { BotRecord } from './bot.js';
export { BotsModule } from './bots.module.js';
export { BotsService } from './bots.service.js';
