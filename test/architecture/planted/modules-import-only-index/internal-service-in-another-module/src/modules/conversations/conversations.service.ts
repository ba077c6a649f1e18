import { BotsService } from '../bots/bots.service.js';

export const deep = BotsService;
