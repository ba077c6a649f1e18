export { BotsService } from './bots.service.js';
