import type { Bot } from './bot.entity.js';

export const toBotView = (bot: Bot) => ({ name: bot.name });
