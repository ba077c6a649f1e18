/**
 * Says something at every interval and notices when nothing comes back: a connection whose other end vanished without
 * a goodbye looks open for minutes, and browsers tell nobody.
 */
export class Pulse {
  private timer: ReturnType<typeof setInterval> | undefined;
  private heardAt = 0;

  constructor(
    private readonly beat: () => void,
    private readonly silent: () => void,
  ) {}

  /** @param waitMs of silence after which the other end counts as gone */
  start(intervalMs: number, waitMs: number): void {
    this.stop();
    this.heard();
    this.timer = setInterval(() => {
      if (performance.now() - this.heardAt >= waitMs) this.silent();
      else this.beat();
    }, intervalMs);
  }

  heard(): void {
    this.heardAt = performance.now();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
