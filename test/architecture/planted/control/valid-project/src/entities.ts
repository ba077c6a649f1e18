import { MODULES } from './modules.js';

export const entities = [MODULES];
