export { Bot } from './bot.entity.js';
