import { BotsModule } from './modules/bots/index.js';
import { realtime } from './modules/realtime/index.js';

export const MODULES = [BotsModule, realtime];
