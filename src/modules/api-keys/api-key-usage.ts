import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const INTERVAL_MS = 500;

/** Writes `last_used_at` off the request's path: gathered, at most twice a second, however hot the key. */
@Injectable()
export class ApiKeyUsage implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ApiKeyUsage.name);
  private uses = new Map<string, { workspaceId: string; id: string; at: Date }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  note(workspaceId: string, id: string): void {
    this.uses.set(id, { workspaceId, id, at: this.clock.now() });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), INTERVAL_MS);
    this.timer.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** Sorted by id, so that two instances that flush the same keys never lock each other out. */
  private async flush(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = [...this.uses.values()].sort((a, b) => a.id.localeCompare(b.id));
    this.uses = new Map();
    await this.keys
      .used(uses)
      .catch((error: unknown) => this.logger.warn(`last_used_at was not written: ${String(error)}`));
  }
}
