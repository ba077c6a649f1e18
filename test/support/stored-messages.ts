import type { TestDatabase } from './database.js';

/**
 * Adds messages of the contact to a conversation by SQL, without events.
 * @param content of each; `message` and its `seq` by default
 */
export async function storeMessages(
  database: TestDatabase,
  conversationId: string,
  count: number,
  content: string | null = null,
): Promise<void> {
  await database.query(
    `WITH grown AS (
       UPDATE conversation SET last_seq = last_seq + $2::int WHERE id = $1
       RETURNING workspace_id, id, contact_id, last_seq - $2::int AS before
     )
     INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, content)
     SELECT workspace_id, gen_random_uuid(), id, before + n, 'contact', contact_id, coalesce($3, 'message ' || before + n)
     FROM grown, generate_series(1, $2::int) AS n`,
    [conversationId, count, content],
  );
}
