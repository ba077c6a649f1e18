export { ConversationsService } from './conversations.service.js';
