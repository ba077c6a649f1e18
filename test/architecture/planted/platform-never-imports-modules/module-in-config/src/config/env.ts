import { formats } from '../modules/bots/index.js';

export const env = formats;
