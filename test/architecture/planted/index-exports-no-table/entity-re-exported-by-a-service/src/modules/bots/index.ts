export { BotsService, type Bot } from './bots.service.js';
