export { MessagesService } from './messages.service.js';
