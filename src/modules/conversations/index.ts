export { ChannelSweepWorker } from './channel-sweep.worker.js';
export type { ConversationChange } from './conversation-change-hooks.js';
export { ConversationChangeHooks } from './conversation-change-hooks.js';
export type { ProgressColumns } from './conversation-changes.service.js';
export { ConversationChangesService } from './conversation-changes.service.js';
export { ConversationCountsRepairService } from './conversation-counts-repair.service.js';
export type { Opening } from './conversation-openings.service.js';
export { ConversationOpeningsService } from './conversation-openings.service.js';
export type { ConversationWithContact } from './conversation-views.service.js';
export { ConversationViewsService } from './conversation-views.service.js';
export { eventScopeOf, SENDER_TYPES, STATUSES, toConversationRecord, unreadOf } from './conversation.js';
export type {
  Conversation,
  ConversationScope,
  ConversationRecord,
  LastMessage,
  Rating,
  SenderType,
  Status,
  Unread,
} from './conversation.js';
export { ConversationErased, ConversationExists, unknownId } from './conversations.errors.js';
export type { ConversationCreated, ConversationRead, ConversationUpdated } from './conversations.events.js';
export { ConversationsModule } from './conversations.module.js';
export { ConversationsService } from './conversations.service.js';
export type { TimelineEntry, Trigger } from './lifecycle.js';
export { isPastReopening, TIMELINE_EVENTS } from './lifecycle.js';
export type { Timeline } from './timeline-hooks.js';
export { TimelineHooks } from './timeline-hooks.js';
export type { VisitorConversationRecord } from './visitor-conversation.js';
export { toVisitorStatus } from './visitor-conversation.js';
