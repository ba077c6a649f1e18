export type { MessageRecord } from './message.js';
export type { ConversationProgress, MessageChanged, MessageCreated } from './messages.events.js';
export { MessagesModule } from './messages.module.js';
