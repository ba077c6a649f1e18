import { randomUUID } from 'node:crypto';
import type { Principal } from './principal.js';

export const id = (_for: Principal) => randomUUID();
