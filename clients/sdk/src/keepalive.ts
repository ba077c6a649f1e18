/**
 * Says something at every interval and notices when nothing comes back: a connection whose other end vanished without
 * a goodbye looks open for minutes, and browsers tell nobody.
 */
export class Keepalive {
  private timer: ReturnType<typeof setInterval> | undefined;
  private lastActivityAt = 0;

  constructor(
    private readonly sendPing: () => void,
    private readonly onTimeout: () => void,
  ) {}

  /** @param waitMs of silence after which the other end counts as gone */
  start(intervalMs: number, waitMs: number): void {
    this.stop();
    this.recordActivity();
    this.timer = setInterval(() => {
      if (performance.now() - this.lastActivityAt >= waitMs) this.onTimeout();
      else this.sendPing();
    }, intervalMs);
  }

  recordActivity(): void {
    this.lastActivityAt = performance.now();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
