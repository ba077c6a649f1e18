import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const INTERVAL_MS = 500;

/**
 * Writes `last_used_at` outside the request, within a second of the use. A key written in one tick is skipped in the
 * next, so a key causes at most one write a second.
 */
@Injectable()
export class ApiKeyUsageJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ApiKeyUsageJob.name);
  private readonly uses = new Map<string, { workspaceId: string; id: string; at: Date }>();
  private written = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  record(workspaceId: string, id: string): void {
    this.uses.set(id, { workspaceId, id, at: this.clock.now() });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), INTERVAL_MS);
    this.timer.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.written.clear();
    await this.flush();
  }

  /** Sorts by id, so that two instances that flush the same keys do not deadlock. */
  private async flush(): Promise<void> {
    const uses = [...this.uses.values()]
      .filter(({ id }) => !this.written.has(id))
      .sort((a, b) => a.id.localeCompare(b.id));
    this.written = new Set(uses.map(({ id }) => id));
    for (const id of this.written) this.uses.delete(id);
    if (uses.length === 0) return;
    await this.keys
      .recordUses(uses)
      .catch((error: unknown) => this.logger.warn(`last_used_at not written: ${String(error)}`));
  }
}
