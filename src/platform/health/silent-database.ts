import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { answersWithin } from '../database/database-probe.js';
import { OpenConnections } from '../database/open-connections.js';

/** A database that says nothing for so long, twice in a row, lets nothing finish. */
const SILENT_MS = 1_000;

/**
 * Watches the database during a stop. Beside one that hangs neither requests nor background jobs can finish: its
 * connections are closed, so that requests are answered 503 and the stop takes seconds instead of a statement's limit.
 * @param over ends the watch
 */
export async function closeSilentDatabase(app: INestApplication, over: AbortSignal): Promise<void> {
  const { databaseUrl } = app.get(Config);
  for (let silent = 0; !over.aborted && databaseUrl !== null;) {
    const began = performance.now();
    silent = (await answersWithin(databaseUrl, SILENT_MS)) ? 0 : silent + 1;
    if (over.aborted) return;
    if (silent === 2) {
      new Logger('stop').warn('the database does not answer: statements under way are given up');
      return app.get(OpenConnections).closeAll();
    }
    const rest = Math.max(0, SILENT_MS - (performance.now() - began));
    await delay(rest, undefined, { signal: over, ref: false }).catch(() => undefined);
  }
}
