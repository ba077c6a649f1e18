import { MessagesService } from '../conversations/messages/index.js';

export const deep = MessagesService;
