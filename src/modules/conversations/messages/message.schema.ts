import { Rule } from '../../../platform/http/field.js';
import { Choice, Flag, FreeForm, Id, Integer, NestedList, Text, Time } from '../../../platform/http/fields.js';
import { PageQuery } from '../../../platform/http/page.schema.js';
import type { ContentType, MessageRecord, SenderType } from './message.js';
import { CONTENT_TYPES, MESSAGE_CHARS, SENDER_TYPES, SENDABLE_TYPES } from './message.js';

const optional = true;
const nullable = true;

/** What a visitor may set; what else it sends is ignored. */
export class VisitorMessageBody {
  @Text({ optional, min: 0, max: MESSAGE_CHARS, example: 'Where is my parcel?' }) content?: string;
  @Choice(SENDABLE_TYPES, { optional, reserved: ['event'] }) content_type?: ContentType;
  @Rule('attachments', () => true, '')
  attachment_ids?: unknown;
  @FreeForm({ optional }) metadata?: Record<string, unknown>;
  @Text({ optional, max: 100, description: 'The same one again is the same message.', example: 'm-1' })
  client_message_id?: string;
  @Id({ optional }) reply_to_id?: string;
}

export class MessageBody extends VisitorMessageBody {
  @Flag({ optional, description: 'A note among agents.' }) private?: boolean;
  @Integer({ optional, description: 'Refused when there are messages behind it.' }) expected_last_seq?: number;
  @Id({ optional, description: 'With an API key: the member who speaks.' }) member_id?: string;
  @Id({ optional, description: 'With an API key: the bot that speaks.' }) bot_id?: string;
}

export class EditMessageBody {
  @Text({ max: MESSAGE_CHARS, example: 'Where is my parcel, please?' }) content!: string;
}

export class ListMessagesQuery extends PageQuery {
  @Integer({ optional, fromQuery: true, min: 1, description: 'Older than this one.' }) before_seq?: number;
  @Integer({ optional, fromQuery: true, description: 'Newer than this one.' }) after_seq?: number;
}

export class AttachmentView {
  @Id() id!: string;
}

export class MessageView implements MessageRecord {
  @Id() id!: string;
  @Id() conversation_id!: string;
  @Id() workspace_id!: string;
  @Integer({ min: 1, description: 'Place in the conversation.' }) seq!: number;
  @Choice(SENDER_TYPES) sender_type!: SenderType;
  @Id() sender_id!: string;
  @Text({ nullable, example: 'Vera Lindqvist' }) sender_name!: string | null;
  @Choice(CONTENT_TYPES) content_type!: ContentType;
  @Text({ nullable, min: 0, max: MESSAGE_CHARS, example: 'Where is my parcel?' }) content!: string | null;
  @NestedList(() => AttachmentView) attachments!: never[];
  @FreeForm() metadata!: Record<string, unknown>;
  @Text({ nullable, max: 100, example: 'm-1' }) client_message_id!: string | null;
  @Flag() private!: boolean;
  @Id({ nullable }) reply_to_id!: string | null;
  @Time() created_at!: string;
  @Time({ nullable }) edited_at!: string | null;
  @Time({ nullable }) deleted_at!: string | null;
}
