export type { BotView } from './bots.schema.js';
