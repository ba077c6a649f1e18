import { BotsRepository } from './bots.repository.js';

export const bots = new BotsRepository();
