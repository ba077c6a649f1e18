export { messages } from './messages/messages.service.js';
