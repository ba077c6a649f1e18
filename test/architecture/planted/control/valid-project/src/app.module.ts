import { entities } from './entities.js';
import { BotsModule } from './modules/bots/index.js';
import { BotsRepository } from './modules/bots/bots.repository.js';
import { realtime } from './modules/realtime/realtime.service.js';

export const AppModule = [entities, BotsModule, BotsRepository, realtime];
