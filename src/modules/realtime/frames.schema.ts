import type { FieldFault } from '../../kernel/domain-error.js';
import type { VisitedPage } from '../channels/index.js';
import type { ContactSummary } from '../contacts/index.js';
import type { ConversationRecord, Status, VisitorConversationRecord } from '../conversations/index.js';
import type { Presence, PresenceSubject } from '../../kernel/presence.js';
import { PRESENCES } from '../../kernel/presence.js';
import type { MemberDisplay } from '../members/index.js';
import type { DraftRecord, DraftSender, DraftState } from '../bot-dialogue/index.js';
import { DRAFT_STATES } from '../bot-dialogue/index.js';
import type { MessageRecord } from '../messages/index.js';
import { MESSAGE_CHARS } from '../messages/index.js';
import type { NotificationRecord } from '../notifications/index.js';
import { AnyValue, Embedded, EmbeddedMap } from '../../platform/schemas/answer-fields.js';
import { Choice, Flag, Id, Ids, Integer, Nested, Text, Time } from '../../platform/schemas/fields.js';

const optional = true;
const nullable = true;
const STATUSES = ['pending', 'open', 'snoozed', 'resolved'];

export class ConnectedData {
  @Id() connection_id!: string;
  @Text({ description: '`inbox`, `contact`, or the id of a conversation.' }) room!: string;
  @Text({ max: 200, description: 'The current position in the event log. Opaque; pass it as `after`.' })
  cursor!: string;
  @Integer() ping_interval_ms!: number;
  @Integer() pong_wait_ms!: number;
  @Time() server_time!: string;
}

export class ResumedData {
  @Text({ max: 400 }) from!: string;
  @Text({ max: 400 }) to!: string;
  @Integer() count!: number;
}

export class SyncRequiredData {
  @Choice(['invalid', 'epoch', 'expired', 'too_many', 'scope', 'busy'], {
    description:
      '`invalid`: the cursor is malformed. `epoch`: it belongs to another event log. `expired`: it is too old. ' +
      '`too_many`: more than 1,000 events or 8 MiB were missed. `scope`: the channels of the member have changed. ' +
      '`busy`: too many resuming clients read slowly.',
  })
  reason!: 'invalid' | 'epoch' | 'expired' | 'too_many' | 'scope' | 'busy';
}

export class TokenExpiringData {
  @Integer() in_seconds!: number;
}

export class AuthenticatedData {
  @Time({ nullable: true }) expires_at!: string | null;
}

export class ProgressData {
  @Id() id!: string;
  @Choice(STATUSES) status!: Status;
  @Integer() last_seq!: number;
  @Embedded('UnreadView') unread!: { agents: number; contact: number };
  @Time() last_activity_at!: string;
}

export class MessageCreatedData {
  @Embedded('MessageView') message!: MessageRecord;
  @Nested(() => ProgressData) conversation!: ProgressData;
}

export class ContactMergedData {
  @Id() id!: string;
  @Id() into_id!: string;
}

export class ContactDeletedData {
  @Id() id!: string;
}

export class MessageChangedData {
  @Embedded('MessageView') message!: MessageRecord;
}

export class ConversationCreatedData {
  @Embedded('ConversationRecordView') conversation!: ConversationRecord;
  @Embedded('ContactSummaryView') contact!: ContactSummary;
}

export class VisitorConversationCreatedData {
  @Embedded('VisitorConversationView') conversation!: VisitorConversationRecord;
}

export class ChangeData {
  @AnyValue() from!: unknown;
  @AnyValue() to!: unknown;
}

export class ConversationUpdatedData {
  @Id() id!: string;
  @EmbeddedMap('ChangeData', { description: 'Old and new values by field.' }) changes!: Record<string, ChangeData>;
  @Integer() version!: number;
  @Embedded('ActorView') actor!: { type: string; id: string | null };
}

export class StatusChangeData {
  @Choice(STATUSES) from!: Status;
  @Choice(STATUSES) to!: Status;
}

export class AssigneeChangeData {
  @Embedded('MemberDisplayView', { nullable }) from!: MemberDisplay | null;
  @Embedded('MemberDisplayView', { nullable }) to!: MemberDisplay | null;
}

export class RatingChangeData {
  @Embedded('RatingView', { nullable }) from!: object | null;
  @Embedded('RatingView', { nullable }) to!: object | null;
}

/** The changes of a conversation that visitors receive. */
export class VisitorChangesData {
  @Nested(() => StatusChangeData, { optional }) status?: StatusChangeData;
  @Nested(() => AssigneeChangeData, { optional }) assignee?: AssigneeChangeData;
  @Nested(() => RatingChangeData, { optional }) csat?: RatingChangeData;
}

export class VisitorConversationUpdatedData {
  @Id() id!: string;
  @Nested(() => VisitorChangesData) changes!: VisitorChangesData;
}

export class ConversationReadData {
  @Id() id!: string;
  @Choice(['agents', 'contact']) reader!: 'agents' | 'contact';
  @Integer() last_read_seq!: number;
}

export class PresenceData {
  @Choice(['member', 'contact']) subject_type!: PresenceSubject['type'];
  @Id() subject_id!: string;
  @Choice(PRESENCES, { description: 'Contacts are never `away`.' }) status!: Presence;
  @Time({ nullable, description: 'The current time for subjects that are online. Always null on sockets of visitors.' })
  last_seen_at!: string | null;
}

export class ViewingData {
  @Id() conversation_id!: string;
  @Ids({ description: 'The members who are viewing the conversation, without duplicates.' }) members!: string[];
}

export class VisitorPageData {
  @Id() conversation_id!: string;
  @Id() contact_id!: string;
  @Embedded('VisitedPageView', {
    nullable,
    description: "The visitor's own word: show it as text. Null once it has left.",
  })
  page!: VisitedPage | null;
  @Time({ description: 'Since when.' }) at!: string;
}

export class TypingData {
  @Id() conversation_id!: string;
  @Choice(['agent', 'contact', 'bot']) sender_type!: 'agent' | 'contact' | 'bot';
  @Id() sender_id!: string;
  @Text({ nullable }) name!: string | null;
  @Integer({ optional, description: 'On `typing`: milliseconds until the indicator expires.' }) expires_in_ms?: number;
}

export class DraftSenderData implements DraftSender {
  @Choice(['bot']) type!: 'bot';
  @Id() id!: string;
  @Text({ example: 'Parcel bot' }) name!: string;
  @Text({ nullable, max: 2048, example: 'https://shop.example/bot.png' }) avatar_url!: string | null;
}

export class MessageDraftData implements DraftRecord {
  @Id() conversation_id!: string;
  @Id({ description: 'The stored message has it as `metadata.draft_id`.' }) draft_id!: string;
  @Id({ description: 'The delivery that the bot answers.' }) turn_id!: string;
  @Nested(() => DraftSenderData) sender!: DraftSenderData;
  @Text({ min: 0, max: MESSAGE_CHARS, description: 'All of the message so far.', example: 'Your parcel is' })
  text!: string;
  @Choice(DRAFT_STATES, {
    description: '`done`: the message follows or is there. `cancelled`: people took over; nothing of it is kept.',
  })
  state!: DraftState;
}

export class NotificationCreatedData {
  @Embedded('NotificationView') notification!: NotificationRecord;
}

export class NotificationReadData {
  @Ids({ nullable, description: 'null: many; read the list again.' }) ids!: string[] | null;
}

export class TypingFields {
  @Id() conversation_id!: string;
}

export class AgentTypingFields extends TypingFields {
  @Flag({ optional, description: 'True while writing a private note. Visitors then get no frame.' }) private?: boolean;
}

export class ViewingFields {
  @Id({ nullable, description: 'null to stop viewing.' }) conversation_id!: string | null;
}

export class PageFields {
  @Text({ max: 65_536, description: 'An http(s) URL. Anything else is ignored.', example: 'https://shop.example/cart' })
  url!: string;
  @Text({ optional, min: 0, max: 65_536, example: 'Your cart' }) title?: string;
}

export class AuthFields {
  @Text({ max: 8192, description: 'A new token of the kind that opened the socket.' }) token!: string;
}

/** The `error` of an error frame. */
export class FrameError {
  @Text() code!: string;
  @Text({ max: 1000 }) message!: string;
  @Embedded('FieldFault', { optional, list: true }) details?: FieldFault[];
}

/** A tag that was renamed, merged or deleted. */
export class TagUpdatedData {
  @Text({ max: 50, example: 'vip' }) from!: string;
  @Text({ max: 50, nullable: true, description: '`null` if it was deleted.', example: 'gold' }) to!: string | null;
}
