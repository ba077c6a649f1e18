import { violates } from '../../platform/database/database-errors.js';
import type { Conversation } from './conversation.js';
import { ConversationExists } from './conversations.errors.js';
import type { ConversationsRepository } from './conversations.repository.js';

const ATTEMPTS = 5;

/**
 * Runs work that creates or reopens the one unresolved conversation of a contact on a channel, as the unique index
 * allows. If the conflicting conversation is resolved before it is read, the work runs again.
 * @param work a savepoint, which is rolled back when it throws
 * @throws ConversationExists with the id of the conflicting conversation
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
