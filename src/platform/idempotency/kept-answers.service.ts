import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';

const HOUR_MS = 3_600_000;

/** Drops kept answers that are a day old, once an hour, on whichever instance comes first. */
@Injectable()
export class KeptAnswers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(KeptAnswers.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly answers: IdempotencyRepository) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.forgetOld(), HOUR_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async forgetOld(): Promise<void> {
    await this.answers.forgetOld().catch((error: unknown) => this.logger.warn(`kept answers stay: ${String(error)}`));
  }
}
