import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import type { Actor } from '../../kernel/domain-event.js';
import type { FieldOptions } from '../../platform/schemas/field.js';
import { Choice, Flag, FreeForm, Id, Integer, Nested, Text, Texts, Time } from '../../platform/schemas/fields.js';
import type { PreChatRecord, VisitedPage } from '../channels/index.js';
import type { ContactSummary } from '../contacts/index.js';
import { TAG_LIMITS } from '../tags/index.js';
import type {
  Control,
  ConversationContext,
  ConversationRecord,
  Handoff,
  LastMessage,
  Priority,
  Rating,
  Status,
} from './conversation.js';
import { PRIORITIES, SENDER_TYPES, STATUSES } from './conversation.js';
import type { VisitorConversationRecord, VisitorStatus } from './visitor-conversation.js';
import { VISITOR_STATUSES } from './visitor-conversation.js';
import type { InboxCounts } from './inbox.js';

const optional = true;
const nullable = true;

/** Tags without the spaces around them. */
function Tags(options: FieldOptions): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (Array.isArray(value) ? value.map(trimmed) : (value as unknown))),
    Texts({ ...options, ...TAG_LIMITS }),
  );
}

const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : value);

/** `expected_version` refuses a change that was made from an older version. */
export class ActionBody {
  @Integer({ optional, min: 1, description: 'Returns 409 if the conversation has another `version`.' })
  expected_version?: number;
}

export class UpdateConversationBody extends ActionBody {
  @Text({ optional, nullable, example: 'Parcel 4711' }) subject?: string | null;
  @Choice(PRIORITIES, { optional }) priority?: Priority;
  @Tags({ optional }) tags?: string[];
  @FreeForm({ optional }) custom_attributes?: Record<string, unknown>;
}

export class AssignBody extends ActionBody {
  @Id({ nullable, description: '`null` unassigns.' }) member_id!: string | null;
}

export class SnoozeBody extends ActionBody {
  @Time({
    optional,
    description: 'Between one minute and one year ahead. Without it, until the contact writes.',
  })
  until?: string;
}

/** An action that a bot may take through an API key. */
export class BotActionBody extends ActionBody {
  @Id({ optional, description: 'With an API key: the bot that acts. It must be in control of the conversation.' })
  bot_id?: string;
}

export class HandoffBody extends BotActionBody {
  @Text({ optional, max: 50, pattern: /^[a-z_]{1,50}$/, example: 'needs_refund' }) reason?: string;
  @Text({ optional, max: 2000, example: 'Wants her money back for order 4711.', description: 'For the next agent.' })
  summary?: string;
}

export class LastMessageView implements LastMessage {
  @Id() id!: string;
  @Text({ min: 0, example: 'Where is my parcel?' }) preview!: string;
  @Choice(SENDER_TYPES) sender_type!: LastMessage['sender_type'];
  @Time() created_at!: string;
}

export class UnreadView {
  @Integer() agents!: number;
  @Integer() contact!: number;
}

export class RatingView implements Rating {
  @Integer({ min: 1, max: 5 }) score!: number;
  @Text({ nullable, max: 2000, example: 'Quick and friendly.' }) comment!: string | null;
  @Time() rated_at!: string;
}

/** Why a bot or agent handed the conversation off, and what it told the next one. */
export class HandoffView implements Handoff {
  @Text({ nullable, max: 50, example: 'needs_refund' }) reason!: string | null;
  @Text({ nullable, max: 2000, example: 'Wants her money back for order 4711.' }) summary!: string | null;
  @Time() at!: string;
}

/** The visitor's own word: show it as text. */
export class VisitedPageView implements VisitedPage {
  @Text({
    max: 2048,
    example: 'https://shop.example/cart',
    description: 'Without user, password, fragment, and query parameters that the channel does not keep.',
  })
  url!: string;
  @Text({ nullable, example: 'Your cart' }) title!: string | null;
  @Text({
    nullable,
    max: 2048,
    example: 'https://search.example',
    description: 'Origin of the page before. Null for a page of the frame `page`.',
  })
  referrer!: string | null;
}

/** Where and with what the visitor started the conversation, as its browser says. */
export class ConversationContextView implements ConversationContext {
  @Nested(() => VisitedPageView, { nullable }) page!: VisitedPageView | null;
  @Text({ nullable, max: 35, example: 'de' }) locale!: string | null;
  @Text({ nullable, max: 64, example: 'Europe/Berlin' }) timezone!: string | null;
  @Text({ nullable, example: 'Firefox 128' }) browser!: string | null;
  @Text({ nullable, example: 'Windows 10' }) os!: string | null;
  @Text({ nullable, example: 'desktop', description: '`desktop`, `mobile`, `tablet`, `tv` or `bot`.' })
  device!: string | null;
}

export class ActorView implements Actor {
  @Choice(['member', 'contact', 'bot', 'api_key', 'system']) type!: Actor['type'];
  @Id({ nullable }) id!: string | null;
}

export class ContactSummaryView implements ContactSummary {
  @Id() id!: string;
  @Text({ nullable, example: 'Vera Lindqvist' }) name!: string | null;
  @Text({ nullable, max: 254, example: 'vera@example.com' }) email!: string | null;
  @Text({ nullable, max: 2048, example: 'https://shop.example/vera.png' }) avatar_url!: string | null;
  @Flag() verified!: boolean;
}

/** The conversation as events carry it, without the contact, which is a separate field there. */
export class ConversationRecordView implements ConversationRecord {
  @Id() id!: string;
  @Integer({ min: 1 }) number!: number;
  @Id() workspace_id!: string;
  @Id() channel_id!: string;
  @Id() contact_id!: string;
  @Choice(STATUSES) status!: Status;
  @Choice(PRIORITIES) priority!: Priority;
  @Id({ nullable }) assignee_id!: string | null;
  @Id({ nullable }) bot_id!: string | null;
  @Choice(['bot', 'human']) control!: Control;
  @Text({ nullable, example: 'Parcel 4711' }) subject!: string | null;
  @Texts(TAG_LIMITS) tags!: string[];
  @FreeForm() custom_attributes!: Record<string, unknown>;
  @Time({ nullable }) snoozed_until!: string | null;
  @Time({ nullable }) waiting_since!: string | null;
  @Time({ nullable }) first_response_at!: string | null;
  @Nested(() => LastMessageView, { nullable }) last_message!: LastMessageView | null;
  @Time() last_activity_at!: string;
  @Integer() last_seq!: number;
  @Nested(() => UnreadView) unread!: UnreadView;
  @Integer() agent_last_read_seq!: number;
  @Integer() contact_last_read_seq!: number;
  @Time({ nullable }) resolved_at!: string | null;
  @Nested(() => ActorView, { nullable }) resolved_by!: ActorView | null;
  @Integer() reopened_count!: number;
  @Id({ nullable }) previous_conversation_id!: string | null;
  @Nested(() => RatingView, { nullable }) csat!: RatingView | null;
  @Nested(() => ConversationContextView, { nullable, description: 'Null if an agent started it.' })
  context!: ConversationContextView | null;
  @FreeForm({
    nullable,
    description: 'Answers to the pre-chat form: texts, and booleans of checkboxes. Nobody has verified them.',
  })
  pre_chat!: PreChatRecord | null;
  @Nested(() => HandoffView, { nullable }) handoff!: HandoffView | null;
  @Integer({ min: 1 }) version!: number;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}

export class ConversationView extends ConversationRecordView {
  @Nested(() => ContactSummaryView) contact!: ContactSummaryView;
}

export class MemberDisplayView {
  @Text({ example: 'Ada Lovelace' }) name!: string;
  @Text({ nullable, max: 2048, example: 'https://shop.example/ada.png' }) avatar_url!: string | null;
}

export class VisitorConversationView implements VisitorConversationRecord {
  @Id() id!: string;
  @Integer({ min: 1 }) number!: number;
  @Choice(VISITOR_STATUSES) status!: VisitorStatus;
  @Nested(() => MemberDisplayView, { nullable }) assignee!: MemberDisplayView | null;
  @Nested(() => LastMessageView, { nullable }) last_message!: LastMessageView | null;
  @Integer({ description: 'The last `seq` of a public message.' }) last_seq!: number;
  @Nested(() => UnreadView) unread!: UnreadView;
  @Nested(() => RatingView, { nullable }) csat!: RatingView | null;
  @Time() created_at!: string;
}

export class ConversationCountsView implements InboxCounts {
  @Integer({ description: 'Open and pending, assigned to the caller.' }) mine!: number;
  @Integer({ description: 'Open and pending, unassigned.' }) unassigned!: number;
  @Integer() open!: number;
  @Integer() pending!: number;
  @Integer() snoozed!: number;
  @Integer({
    max: 100,
    description:
      'Conversations with a note that mentions the caller and that it has not looked at. Counting stops at 100.',
  })
  mentioned_unread!: number;
  @Integer({ max: 100, description: 'The contact waits for an answer. Counting stops at 100.' }) waiting!: number;
}
