import { BotsService } from '../../bots/index.js';
import { conversations } from '../conversation.js';

export const messages = [BotsService, conversations];
