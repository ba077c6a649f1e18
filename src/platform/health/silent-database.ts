import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { answersWithin } from '../database/database-probe.js';
import { OpenConnectionsRegistry } from '../database/open-connections.registry.js';

/** A database that does not answer for this time, twice in a row, counts as hanging. */
const SILENT_MS = 1_000;

/**
 * Monitors the database during a stop, and closes all connections when it hangs. Requests are then answered with 503,
 * and the stop takes seconds instead of the statement timeout.
 * @param signal ends the monitoring
 */
export async function closeSilentDatabase(app: INestApplication, signal: AbortSignal): Promise<void> {
  const { databaseUrl } = app.get(Config);
  for (let silent = 0; !signal.aborted && databaseUrl !== null;) {
    const began = performance.now();
    silent = (await answersWithin(databaseUrl, SILENT_MS)) ? 0 : silent + 1;
    if (signal.aborted) return;
    if (silent === 2) {
      new Logger('stop').warn('the database does not answer: running statements are abandoned');
      return app.get(OpenConnectionsRegistry).closeAll();
    }
    const rest = Math.max(0, SILENT_MS - (performance.now() - began));
    await delay(rest, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
