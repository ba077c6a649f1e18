export { AutomaticMessagesService } from './automatic-messages.service.js';
export type { ContactMessage } from './contact-message-hooks.js';
export { ContactMessageHooks } from './contact-message-hooks.js';
export { MessageHistoryService } from './message-history.service.js';
export type { MessageRecord } from './message.js';
export type { ConversationProgress, MessageChanged, MessageCreated, MessageFacts } from './messages.events.js';
export { mentionsOf } from './message-metadata.js';
export { MessageReadsService } from './message-reads.service.js';
export { MessagesModule } from './messages.module.js';
