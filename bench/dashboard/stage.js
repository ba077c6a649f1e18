import { resolve } from 'node:path';
import { client } from '../client.js';
import { withClient } from '../database.js';
import { fillInbox } from '../opponents/inbox-rows.js';
import { startPostgres } from '../postgres.js';
import { root } from '../processes.js';
import { dataFolder, hireAgents, openDesk, startService } from '../service.js';

const MESSAGES_EACH = 4;
const AGENTS = 8;

/**
 * Starts the service with one workspace: many conversations of four messages, the latest of which has many.
 * @param sizes `{conversations, messages}`
 * @returns `{url, made, token, longId, oldMessageId, stop}`; the id is of the tenth message of the long conversation
 */
export async function startStage({ conversations, messages }) {
  const { folder, remove } = dataFolder('bench-dashboard');
  const postgres = await startPostgres(folder);
  const { url: database } = await postgres.database('dashboard');
  const service = await startService(folder, { DATABASE_URL: database, RATE_LIMITS: 'off' });
  const { made, close } = client(service.port);
  const stop = async () => {
    close();
    await service.stop();
    await postgres.stop();
    remove();
  };
  try {
    const { token, key } = await openDesk(made);
    await hireAgents(made, key, AGENTS);
    const long = await fill(database, conversations, messages, folder);
    return { url: `http://127.0.0.1:${service.port}`, made, token, ...long, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function fill(database, conversations, messages, folder) {
  const ids = await withClient(database, readIds);
  await fillInbox(database, ids, conversations, folder);
  return withClient(database, async db => {
    await db.query(
      `INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, content, created_at)
       SELECT workspace_id, overlay(id::text placing '7' || lpad(seq::text, 3, '0') from 15 for 4)::uuid, id, seq,
              CASE WHEN seq % 2 = 1 THEN 'contact' ELSE 'agent' END, CASE WHEN seq % 2 = 1 THEN contact_id ELSE $2 END,
              'Message ' || seq || ': where is my parcel, please? It should have been here on Monday.', created_at
       FROM conversation CROSS JOIN generate_series(1, $1::int) AS seq`,
      [MESSAGES_EACH, ids.memberIds[0]],
    );
    const {
      rows: [{ id }],
    } = await db.query(
      `UPDATE conversation SET last_seq = $1, last_public_seq = $1, status = 'open', last_activity_at = now()
       WHERE id = (SELECT id FROM conversation ORDER BY last_activity_at DESC LIMIT 1) RETURNING id`,
      [messages],
    );
    const { rows } = await db.query(
      `INSERT INTO message (workspace_id, id, conversation_id, seq, sender_type, sender_id, content, created_at)
       SELECT workspace_id, gen_random_uuid(), id, seq, CASE WHEN seq % 3 = 0 THEN 'agent' ELSE 'contact' END,
              CASE WHEN seq % 3 = 0 THEN $3 ELSE contact_id END,
              'Message ' || seq || repeat(' of a long talk', (seq % 9)::int), now() - ($2 - seq) * interval '1 minute'
       FROM conversation CROSS JOIN generate_series($1::int, $2::int) AS seq WHERE id = $4
       RETURNING id, seq`,
      [MESSAGES_EACH + 1, messages, ids.memberIds[0], id],
    );
    await db.query('VACUUM (ANALYZE) message');
    return { longId: id, oldMessageId: rows.find(({ seq }) => Number(seq) === 10).id };
  });
}

async function readIds(db) {
  const { rows: members } = await db.query('SELECT workspace_id, id FROM member ORDER BY created_at');
  const { rows: channels } = await db.query('SELECT id FROM channel');
  return {
    workspaceId: members[0].workspace_id,
    memberIds: members.map(({ id }) => id),
    channelIds: channels.map(({ id }) => id),
  };
}

/** Ensures that the front-end was built, which the service would otherwise replace by a page of advice. */
export function assertBuilt(exists) {
  if (!exists(resolve(root, 'clients/dashboard/dist/index.html'))) throw new Error('no dashboard: run npm run build');
}
