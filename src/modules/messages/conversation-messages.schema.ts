import { applyDecorators } from '@nestjs/common';
import { IsObject } from 'class-validator';
import { Embedded } from '../../platform/schemas/answer-fields.js';
import { field } from '../../platform/schemas/field.js';
import { markFreeForm } from '../../platform/schemas/field-rules.js';
import { BrowserPage } from '../../platform/schemas/local-fields.js';
import { Id, Integer, Nested, Text } from '../../platform/schemas/fields.js';
import type { VisitorConversationRecord } from '../conversations/index.js';
import { MessageBody, MessageView, VisitorMessageBody } from './message.schema.js';

const optional = true;

export class ReadBody {
  @Integer({ description: 'The `seq` of the last message read.' }) seq!: number;
}

export class StartConversationBody {
  @Id() contact_id!: string;
  @Id() channel_id!: string;
  @Text({ optional, example: 'Parcel 4711' }) subject?: string;
  @Nested(() => MessageBody, { optional }) message?: MessageBody;
}

const PRE_CHAT =
  'Answers to the fields of the pre-chat form, by `key`: text of at most 2,000 characters, or a boolean for a checkbox. ' +
  'Name, e-mail and phone go to an unverified contact, other answers to `pre_chat` of the conversation.';

/** Its limits are those of the form, which says what the answers are. */
function PreChat(): PropertyDecorator {
  const schema = { type: 'object', additionalProperties: true, example: { order_number: '4711' } } as const;
  return applyDecorators(
    markFreeForm as PropertyDecorator,
    field({ optional, description: PRE_CHAT }, schema, IsObject()),
  );
}

export class StartVisitorConversationBody {
  @Nested(() => VisitorMessageBody) message!: VisitorMessageBody;
  @PreChat() pre_chat?: Record<string, unknown>;
  @BrowserPage() page?: unknown;
}

export class VisitorConversationStartedView {
  @Embedded('VisitorConversationView') conversation!: VisitorConversationRecord;
  @Nested(() => MessageView) message!: MessageView;
}
