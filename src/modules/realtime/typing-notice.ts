import { isId } from '../../kernel/ids.js';
import type { TypingData } from './frames.schema.js';

/** A fanout message that somebody types. It is not recorded as an event. */
export interface TypingNotice {
  type: 'typing' | 'typing.stop';
  workspaceId: string;
  channelId: string;
  conversationId: string;
  contactId: string;
  senderKey: string;
  data: TypingData;
  agentsOnly: boolean;
}

const MAX_NAME_LENGTH = 1_000;

/** Checks a message from another process, which may run another version of the service. */
export function isTypingNotice(body: unknown): body is TypingNotice {
  const { type, workspaceId, channelId, conversationId, contactId, senderKey, data, agentsOnly } = fieldsOf(body);
  return (
    (type === 'typing' || type === 'typing.stop') &&
    [workspaceId, channelId, conversationId, contactId].every(isId) &&
    typeof senderKey === 'string' &&
    typeof agentsOnly === 'boolean' &&
    isTypingData(data) &&
    data.conversation_id === conversationId
  );
}

function isTypingData(data: unknown): data is TypingData {
  const { conversation_id, sender_type, sender_id, name, expires_in_ms } = fieldsOf(data);
  return (
    isId(conversation_id) &&
    typeof sender_type === 'string' &&
    ['agent', 'contact'].includes(sender_type) &&
    isId(sender_id) &&
    (name === null || (typeof name === 'string' && name.length <= MAX_NAME_LENGTH)) &&
    (expires_in_ms === undefined || (Number.isInteger(expires_in_ms) && Number(expires_in_ms) > 0))
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
