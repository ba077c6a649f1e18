import { entities } from './entities.js';
import { MODULES } from './modules.js';

export const AppModule = [entities, MODULES];
