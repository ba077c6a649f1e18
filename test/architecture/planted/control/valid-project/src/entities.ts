import { Bot } from './modules/bots/bot.entity.js';

export const entities = [Bot];
