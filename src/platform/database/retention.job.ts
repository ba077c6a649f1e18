import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';

const HOUR_MS = 3_600_000;
/** Rows per batch; small enough not to block other transactions. */
const BATCH = 1_000;

/**
 * Base class of jobs that delete expired rows once an hour. Every instance runs them; the first one deletes the rows.
 */
@Injectable()
export abstract class RetentionJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private timer: NodeJS.Timeout | undefined;

  /** Name of the rows in the log message of a failed run. */
  protected abstract readonly rowsName: string;

  /** Deletes expired rows. @returns the number of deleted rows */
  protected abstract deleteExpired(): Promise<number>;

  /**
   * Deletes batch by batch until a batch is not full.
   * @param deleteBatch deletes at most `limit` rows and returns the number of deleted rows
   */
  protected async deleteInBatches(deleteBatch: (limit: number) => Promise<number>): Promise<number> {
    let deleted = 0;
    for (let last = BATCH; last === BATCH; deleted += last) last = await deleteBatch(BATCH);
    return deleted;
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
