import { violates } from '../../platform/database/database-errors.js';
import type { Conversation } from './conversation.js';
import { ConversationExists } from './conversations.errors.js';
import type { ConversationsRepository } from './conversations.repository.js';

const ATTEMPTS = 5;

/**
 * Makes or brings back the one unresolved conversation of a contact on a channel. The unique index decides; when the
 * one in the way is resolved before its id can be told, nothing is in the way any more, and the work is done again.
 * @param work is undone when it throws: a unit of work of its own, or part of one
 * @throws ConversationExists with the id of the one in the way
 */
export async function keepSingleConversation<T>(
  conversations: ConversationsRepository,
  { workspaceId, channelId, contactId }: Pick<Conversation, 'workspaceId' | 'channelId' | 'contactId'>,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!violates(error, 'uq_conversation_unresolved')) throw error;
      const other = await conversations.findUnresolved(workspaceId, channelId, contactId);
      if (other) throw new ConversationExists({ data: { conversation_id: other.id }, cause: error });
      if (attempt >= ATTEMPTS) throw error;
    }
  }
}
