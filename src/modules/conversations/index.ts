export { canServe } from './assignee.js';
export { BotControlService } from './bot-control.service.js';
export { ChannelSweepWorker } from './channel-sweep.worker.js';
export { ConversationActionsService } from './conversation-actions.service.js';
export type { ConversationChange } from './conversation-change-hooks.js';
export { ConversationChangeHooks } from './conversation-change-hooks.js';
export type { ProgressColumns } from './conversation-changes.service.js';
export { ConversationChangesService } from './conversation-changes.service.js';
export { ConversationCountsRepairService } from './conversation-counts-repair.service.js';
export type { Opening } from './conversation-openings.service.js';
export { ConversationOpeningsService } from './conversation-openings.service.js';
export type { ConversationWithContact } from './conversation-views.service.js';
export { ConversationViewsService } from './conversation-views.service.js';
export {
  accountableMemberOf,
  eventScopeOf,
  isControlledByBot,
  PRIORITIES,
  SENDER_TYPES,
  STATUSES,
  toConversationRecord,
  unreadOf,
} from './conversation.js';
export type {
  Conversation,
  ConversationContext,
  ConversationScope,
  ConversationRecord,
  LastMessage,
  Priority,
  Rating,
  SenderType,
  Status,
  Unread,
} from './conversation.js';
export {
  BotNotInControl,
  ConversationErased,
  ConversationExists,
  InvalidTransition,
  unknownId,
} from './conversations.errors.js';
export type { ConversationCreated, ConversationRead, ConversationUpdated } from './conversations.events.js';
export type { FilterRecord } from './inbox-filters.js';
export { joinList, splitList } from './inbox-filters.js';
export { InboxFiltersService } from './inbox-filters.service.js';
export { InboxService } from './inbox.service.js';
export { ConversationsModule } from './conversations.module.js';
export { ConversationsService } from './conversations.service.js';
export { LookHooks } from './look-hooks.js';
export type { ParticipantKey, Participation } from './participant.js';
export { ParticipantsService } from './participants.service.js';
export type { TimelineEntry, Trigger } from './lifecycle.js';
export { isPastReopening, TIMELINE_EVENTS } from './lifecycle.js';
export type { Timeline } from './timeline-hooks.js';
export { TimelineHooks } from './timeline-hooks.js';
export { describeUserAgent } from './user-agent.js';
export type { VisitorConversationRecord } from './visitor-conversation.js';
export { toVisitorStatus } from './visitor-conversation.js';
