import type { Principal } from '../kernel/principal.js';

export const env = { root: process.env.ROOT as Principal };
