import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { ExpiringMap } from '../../kernel/expiring-map.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { ApiKeyRefused } from './api-keys.events.js';
import './api-keys.events.js';

const INTERVAL_MS = 60_000;

/**
 * Records that a revoked or expired key is still used, by a forgotten deployment or a thief. At most once a minute per
 * key and outside the request, so that nobody can flood the log; unknown keys are not recorded.
 */
@Injectable()
export class ApiKeyRefusalsService {
  private readonly logger = new Logger(ApiKeyRefusalsService.name);
  private readonly written = new ExpiringMap(INTERVAL_MS);

  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly clock: Clock,
  ) {}

  record(workspaceId: string, refusal: ApiKeyRefused): void {
    if (!this.written.addIfAbsent(refusal.id, this.clock.now())) return;
    const actor = { type: 'api_key', id: refusal.id } as const;
    this.units
      .run(() => this.events.record({ type: 'api_key.refused', workspaceId, actor, payload: refusal }))
      .catch((error: unknown) => this.logger.warn(`refusal not recorded: ${String(error)}`));
  }
}
