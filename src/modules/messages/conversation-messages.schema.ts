import { Embedded } from '../../platform/schemas/answer-fields.js';
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

export class StartVisitorConversationBody {
  @Nested(() => VisitorMessageBody) message!: VisitorMessageBody;
}

export class VisitorConversationStartedView {
  @Embedded('VisitorConversationView') conversation!: VisitorConversationRecord;
  @Nested(() => MessageView) message!: MessageView;
}
