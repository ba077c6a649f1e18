import type { World } from './world.js';

/** Puts a bot in control of a conversation, as if its channel had been routed to the bot when the conversation began. */
export async function giveControl(world: World, conversationId: string, botId: string): Promise<void> {
  await setControl(world, conversationId, botId);
  await world.app.database.query(
    `UPDATE channel SET routing = jsonb_set(routing, '{bot_id}', to_jsonb($2::text))
     WHERE id = (SELECT channel_id FROM conversation WHERE id = $1)`,
    [conversationId, botId],
  );
}

/** Puts a bot in control of a conversation only: to the next sweep of its channel the bot is detached. */
export async function setControl({ app }: World, conversationId: string, botId: string): Promise<void> {
  await app.database.query(
    `UPDATE conversation SET status = 'pending', control = 'bot', bot_id = $2, waiting_since = NULL WHERE id = $1`,
    [conversationId, botId],
  );
}
