import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';

const HOUR_MS = 3_600_000;
/** Small enough to hold nobody up. */
const BATCH = 1_000;

/** Rows that have had their day: every instance drops them once an hour, and whichever comes first finds them. */
@Injectable()
export abstract class RetentionJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private timer: NodeJS.Timeout | undefined;

  /** What stays, where the database could not be asked. */
  protected abstract readonly rowsName: string;

  /** @returns how many */
  protected abstract deleteExpired(): Promise<number>;

  /** @param drop of at most so many rows: how many it found */
  protected async deleteInBatches(drop: (limit: number) => Promise<number>): Promise<number> {
    let dropped = 0;
    for (let last = BATCH; last === BATCH; dropped += last) last = await drop(BATCH);
    return dropped;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), HOUR_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async run(): Promise<void> {
    await this.deleteExpired().catch((error: unknown) =>
      this.logger.warn(`old ${this.rowsName} stay: ${String(error)}`),
    );
  }
}
