/**
 * Sends a ping at every interval and detects a silent connection. If the other end disappears without a close, the
 * connection looks open for minutes, and browsers do not report it.
 */
export class Keepalive {
  private timer: ReturnType<typeof setInterval> | undefined;
  private lastActivityAt = 0;

  constructor(
    private readonly sendPing: () => void,
    private readonly onTimeout: () => void,
  ) {}

  /** @param waitMs milliseconds without data after which the connection counts as lost */
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
