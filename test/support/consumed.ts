import type { Type } from '@nestjs/common';
import type { EventConsumer } from '../../src/platform/events/event.consumer.js';
import { eventually } from './eventually.js';
import type { World } from './world.js';

/**
 * Runs an event consumer at once, until it has handled every event that is in the log. It cannot read past a transaction
 * that is open anywhere in the PostgreSQL cluster.
 */
export async function consumed(world: World, consumer: Type<EventConsumer>): Promise<void> {
  const running = world.app.app.get(consumer);
  const [last] = await world.app.database.query<{ position: string | null }>(
    'SELECT max(position)::text AS position FROM event',
  );
  await eventually(async () => {
    await running.catchUp();
    const [found] = await world.app.database.query<{ done: boolean }>(
      `SELECT NOT EXISTS (
         SELECT FROM event WHERE position <= $2::bigint AND xid >= since AND (xid >= horizon OR event.position > event_reader.position)
       ) AS done FROM event_reader WHERE name = $1`,
      [running.name, last?.position ?? '0'],
    );
    return found?.done === true ? true : undefined;
  }, 20_000);
}
