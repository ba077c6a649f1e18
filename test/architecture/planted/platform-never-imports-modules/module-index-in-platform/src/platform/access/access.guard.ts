import type { BotsService } from '../../modules/bots/index.js';

export const access = (bots: BotsService) => bots;
