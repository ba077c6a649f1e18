import { Embedded } from '../../platform/schemas/answer-fields.js';
import { Choice, Flag, FreeForm, Id, Ids, Integer, Text, Time } from '../../platform/schemas/fields.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import type { AttachmentRecord } from '../attachments/index.js';
import { MAX_PER_MESSAGE } from '../attachments/index.js';
import type { SenderType } from '../conversations/index.js';
import { SENDER_TYPES } from '../conversations/index.js';
import type { ContentType, MessageRecord } from './message.js';
import { CONTENT_TYPES, MESSAGE_CHARS, SENDABLE_TYPES } from './message.js';

const optional = true;
const nullable = true;

/** Fields that a visitor may set. Others are ignored. */
export class VisitorMessageBody {
  @Text({ optional, min: 0, max: MESSAGE_CHARS, example: 'Where is my parcel?' }) content?: string;
  @Choice(SENDABLE_TYPES, { optional, reserved: ['event'] }) content_type?: ContentType;
  @Ids({ optional, maxItems: MAX_PER_MESSAGE, description: 'Files that you have uploaded. Each can be sent once.' })
  attachment_ids?: string[];
  @FreeForm({ optional }) metadata?: Record<string, unknown>;
  @Text({ optional, max: 100, description: 'Your own id. A second message with it returns the first.', example: 'm-1' })
  client_message_id?: string;
  @Id({ optional }) reply_to_id?: string;
}

export class MessageBody extends VisitorMessageBody {
  @Flag({ optional, description: 'Send as a private note that only agents see.' }) private?: boolean;
  @Integer({ optional, description: 'Refuse the message if the conversation has messages after this `seq`.' })
  expected_last_seq?: number;
  @Id({ optional, description: 'With an API key: the member who sends.' }) member_id?: string;
  @Id({ optional, description: 'With an API key: the bot that sends.' }) bot_id?: string;
}

export class EditMessageBody {
  @Text({ max: MESSAGE_CHARS, example: 'Where is my parcel, please?' }) content!: string;
}

export class ListMessagesQuery extends PageQuery {
  @Integer({ optional, fromQuery: true, min: 1, description: 'Only messages before this `seq`.' }) before_seq?: number;
  @Integer({ optional, fromQuery: true, description: 'Only messages after this `seq`.' }) after_seq?: number;
}

const SENDER_AVATAR =
  'Avatar of the member or bot when it sent the message. `null` for contacts and for messages of older releases.';

/** A message with the URLs of its files, which are added when it is answered. */
export class MessageView implements Omit<MessageRecord, 'attachments'> {
  @Id() id!: string;
  @Id() conversation_id!: string;
  @Id() workspace_id!: string;
  @Integer({ min: 1, description: 'Position in the conversation.' }) seq!: number;
  @Choice(SENDER_TYPES) sender_type!: SenderType;
  @Id() sender_id!: string;
  @Text({ nullable, example: 'Vera Lindqvist' }) sender_name!: string | null;
  @Text({ nullable, max: 2048, example: 'https://shop.example/vera.png', description: SENDER_AVATAR })
  sender_avatar_url!: string | null;
  @Choice(CONTENT_TYPES) content_type!: ContentType;
  @Text({ nullable, min: 0, max: MESSAGE_CHARS, example: 'Where is my parcel?' }) content!: string | null;
  @Embedded('AttachmentView', { list: true }) attachments!: AttachmentRecord[];
  @FreeForm() metadata!: Record<string, unknown>;
  @Text({ nullable, max: 100, example: 'm-1' }) client_message_id!: string | null;
  @Flag() private!: boolean;
  @Id({ nullable }) reply_to_id!: string | null;
  @Time() created_at!: string;
  @Time({ nullable }) edited_at!: string | null;
  @Time({ nullable }) deleted_at!: string | null;
}
