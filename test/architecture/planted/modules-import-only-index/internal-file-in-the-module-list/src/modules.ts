import { BotsService } from './modules/bots/bots.service.js';

export const MODULES = [BotsService];
