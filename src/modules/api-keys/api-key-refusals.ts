import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLog } from '../../platform/events/event-log.js';
import type { ApiKeyRefused } from './api-keys.events.js';
import './api-keys.events.js';

const INTERVAL_MS = 60_000;

/**
 * Writes down that somebody still calls with a key that is dead: a deployment that was forgotten, or whoever the key
 * was taken from. Once a minute a key, off the request's path, so that nobody can fill the log with it; keys that
 * nobody has made are no news at all.
 */
@Injectable()
export class ApiKeyRefusals {
  private readonly logger = new Logger(ApiKeyRefusals.name);
  private readonly written = new ExpiringMap(INTERVAL_MS);

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLog,
    private readonly clock: Clock,
  ) {}

  record(workspaceId: string, refusal: ApiKeyRefused): void {
    if (!this.written.addIfAbsent(refusal.id, this.clock.now())) return;
    const actor = { type: 'api_key', id: refusal.id } as const;
    this.units
      .run(() => this.events.record({ type: 'api_key.refused', workspaceId, actor, payload: refusal }))
      .catch((error: unknown) => this.logger.warn(`a refusal was not written down: ${String(error)}`));
  }
}
