import { MemberLoadsRepairService } from '../../src/modules/assignment/index.js';
import type { TestDatabase } from './database.js';
import type { World } from './world.js';

const WAITING = `
  SELECT conversation.id FROM conversation JOIN channel ON channel.workspace_id = conversation.workspace_id
    AND channel.id = conversation.channel_id
  WHERE conversation.status = 'open' AND control = 'human' AND assignee_id IS NULL
    AND routing ->> 'mode' <> 'manual' AND deleted_at IS NULL`;
const REQUESTED = 'SELECT conversation_id FROM assignment_request WHERE assignee_id IS NULL';
const WATCHED = `
  SELECT conversation.id FROM conversation JOIN channel ON channel.workspace_id = conversation.workspace_id
    AND channel.id = conversation.channel_id
  WHERE conversation.status = 'open' AND control = 'human' AND assignee_id IS NOT NULL
    AND routing ->> 'reassign_after_minutes' IS NOT NULL AND deleted_at IS NULL`;
const WATCHES = 'SELECT conversation_id FROM assignee_watch';

/** Conversations that wait without a request, requests without such a conversation, and the same of watches. */
export async function strayAssignmentRows({ query }: TestDatabase): Promise<object[]> {
  const differences = [
    [WAITING, REQUESTED, 'waits without a request'],
    [REQUESTED, WAITING, 'is requested but does not wait'],
    [WATCHED, WATCHES, 'is not watched'],
    [WATCHES, WATCHED, 'is watched without need'],
  ];
  const found = differences.map(([rows, others, fault]) =>
    query<object>(`SELECT found.id, '${fault}' AS fault FROM (${rows} EXCEPT ${others}) AS found (id)`),
  );
  return (await Promise.all(found)).flat();
}

/** Number of members whose stored load differs from a recount, which corrects them. */
export function countWrongLoads(world: World): Promise<number> {
  return world.app.app.get(MemberLoadsRepairService, { strict: false }).repair();
}
