export { toConversationRecord } from './conversation.js';
export type {
  Conversation,
  ConversationScope,
  ConversationRecord,
  Status,
  VisitorConversationRecord,
} from './conversation.js';
export { ConversationCountsRepairService } from './conversation-counts-repair.service.js';
export { unknownId } from './conversations.errors.js';
export type {
  ConversationCreated,
  ConversationProgress,
  ConversationRead,
  ConversationUpdated,
  MessageChanged,
  MessageCreated,
} from './conversations.events.js';
export { ConversationsModule } from './conversations.module.js';
export { ConversationsService } from './conversations.service.js';
export type { MessageRecord } from './messages/message.js';
