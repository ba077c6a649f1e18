import { Bot } from './bot.entity.js';

export const bot = Bot;
