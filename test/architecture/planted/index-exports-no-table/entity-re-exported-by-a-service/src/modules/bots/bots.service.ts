export type { Bot } from './bot.entity.js';
export class BotsService {}
