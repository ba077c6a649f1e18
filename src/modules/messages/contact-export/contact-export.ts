import { toWireTime, toWireTimeOrNull } from '../../../kernel/clock.js';
import type { PreChatRecord } from '../../channels/index.js';
import type { Conversation, ConversationContext, Rating, Status } from '../../conversations/index.js';

/** A conversation in a contact's export, without internal fields such as the assignee. */
export interface ExportedConversation {
  id: string;
  number: number;
  channel_id: string;
  status: Status;
  subject: string | null;
  tags: string[];
  custom_attributes: Record<string, unknown>;
  csat: Rating | null;
  context: ConversationContext | null;
  pre_chat: PreChatRecord | null;
  created_at: string;
  resolved_at: string | null;
}

export function toExportedConversation(conversation: Conversation): ExportedConversation {
  return {
    id: conversation.id,
    number: conversation.number,
    channel_id: conversation.channelId,
    status: conversation.status,
    subject: conversation.subject,
    tags: conversation.tags,
    custom_attributes: conversation.customAttributes,
    csat: conversation.csat,
    context: conversation.context,
    pre_chat: conversation.preChat,
    created_at: toWireTime(conversation.createdAt),
    resolved_at: toWireTimeOrNull(conversation.resolvedAt),
  };
}
