import { Embedded } from '../../../platform/schemas/answer-fields.js';
import {
  Choice,
  Flag,
  FreeForm,
  Id,
  Integer,
  NestedList,
  Text,
  Texts,
  Time,
} from '../../../platform/schemas/fields.js';
import type { PreChatRecord } from '../../channels/index.js';
import type { ContactRecord } from '../../contacts/index.js';
import type { ConversationContext, Rating, Status } from '../../conversations/index.js';
import { STATUSES } from '../../conversations/index.js';
import type { MessageRecord } from '../message.js';
import type { ExportedConversation } from './contact-export.js';

const nullable = true;

export class ExportContactBody {
  @Flag({
    optional: true,
    description: "Also include the agents' private notes, marked `private`.",
  })
  include_notes?: boolean;
}

export class ExportedConversationView implements ExportedConversation {
  @Id() id!: string;
  @Integer({ min: 1 }) number!: number;
  @Id() channel_id!: string;
  @Choice(STATUSES) status!: Status;
  @Text({ nullable, example: 'Parcel 4711' }) subject!: string | null;
  @Texts({ maxItems: 20, max: 50 }) tags!: string[];
  @FreeForm() custom_attributes!: Record<string, unknown>;
  @Embedded('RatingView', { nullable }) csat!: Rating | null;
  @Embedded('ConversationContextView', { nullable }) context!: ConversationContext | null;
  @FreeForm({ nullable, description: 'Answers to the pre-chat form.' }) pre_chat!: PreChatRecord | null;
  @Time() created_at!: string;
  @Time({ nullable }) resolved_at!: string | null;
}

/** As large as the history: read it as a stream. */
export class ContactExportView {
  @Embedded('ContactView') contact!: ContactRecord;
  @Embedded('ContactView', { list: true, description: 'Contacts merged into this one, as they were then.' })
  merged_contacts!: ContactRecord[];
  @NestedList(() => ExportedConversationView) conversations!: ExportedConversationView[];
  @Embedded('MessageView', {
    list: true,
    description: 'Messages of all its conversations, each conversation in order of `seq`.',
  })
  messages!: MessageRecord[];
}
