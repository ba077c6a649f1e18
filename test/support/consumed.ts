import { eventually } from './eventually.js';
import type { World } from './world.js';

/** Waits until an event consumer has handled every event that is in the log. */
export async function consumed(world: World, reader: string): Promise<void> {
  const [last] = await world.app.database.query<{ position: string | null }>(
    'SELECT max(position)::text AS position FROM event',
  );
  await eventually(async () => {
    const [found] = await world.app.database.query<{ done: boolean }>(
      `SELECT NOT EXISTS (
         SELECT FROM event WHERE position <= $2::bigint AND xid >= since AND (xid >= horizon OR event.position > event_reader.position)
       ) AS done FROM event_reader WHERE name = $1`,
      [reader, last?.position ?? '0'],
    );
    return found?.done === true ? true : undefined;
  }, 10_000);
}
