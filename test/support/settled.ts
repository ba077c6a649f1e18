import { EventTailJob } from '../../src/platform/events/event-tail.job.js';
import { eventually } from './eventually.js';
import type { World } from './world.js';

/**
 * Waits until no transaction is open that is older than an event, and the service has read the log up to there. Until
 * then a cursor lies before the older transaction, and a consumer's unit of work ends there.
 */
export async function settled({ app }: World): Promise<void> {
  const unsettled = 'SELECT FROM event WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1';
  await eventually(async () => (await app.database.query(unsettled)).length === 0 || undefined, 20_000);
  await app.app.get(EventTailJob).catchUp();
}
