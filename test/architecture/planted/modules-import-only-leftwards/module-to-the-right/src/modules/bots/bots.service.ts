import { ConversationsService } from '../conversations/index.js';

export const left = ConversationsService;
