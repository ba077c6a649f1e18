import { toBotView } from './bots.schema.js';

export const get = toBotView;
