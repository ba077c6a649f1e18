import type { Bot } from '../bots/bot.entity.js';

export type Handler = Bot;
