export { formats } from './bot.js';
