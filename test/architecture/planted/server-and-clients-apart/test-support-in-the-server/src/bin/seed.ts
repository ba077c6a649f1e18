import { agent } from '../../test/support/as.js';

export const seed = agent;
