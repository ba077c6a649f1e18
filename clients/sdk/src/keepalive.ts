/** A single ping may be lost in a network change that the connection survives. */
const MIN_UNANSWERED_PINGS = 2;

/**
 * Sends a ping at every interval and detects a silent connection. If the other end disappears without a close, the
 * connection looks open for minutes, and browsers do not report it.
 *
 * Counts unanswered pings instead of milliseconds of silence: browsers run the timers of a hidden page once a minute, so
 * its intervals are longer than any wait, while the service answers each ping.
 */
export class Keepalive {
  private interval: ReturnType<typeof setInterval> | undefined;
  private probeTimer: ReturnType<typeof setTimeout> | undefined;
  private unanswered = 0;
  private receivedDuringProbe = false;

  /** @param onTimeout called when the connection counts as lost; `probed` is true if {@link probe} found out */
  constructor(
    private readonly sendPing: () => void,
    private readonly onTimeout: (probed: boolean) => void,
  ) {}

  /** @param waitMs milliseconds for which pings may stay unanswered, if timers run on time; at least two pings */
  start(intervalMs: number, waitMs: number): void {
    this.stop();
    this.unanswered = 0;
    const limit = Math.max(MIN_UNANSWERED_PINGS, Math.floor(waitMs / intervalMs));
    this.interval = setInterval(() => {
      if (this.unanswered >= limit) this.onTimeout(false);
      else this.ping();
    }, intervalMs);
  }

  /**
   * Pings now, and reports a timeout unless a pong arrives within `patienceMs`. Other data only extends the time: after
   * a sleep it may be data that arrived before, and during a long replay the pong comes late.
   */
  probe(patienceMs: number): void {
    if (this.probeTimer !== undefined) return;
    this.receivedDuringProbe = false;
    this.ping();
    this.probeTimer = setTimeout(() => {
      this.probeTimer = undefined;
      if (this.receivedDuringProbe) this.probe(patienceMs);
      else this.onTimeout(true);
    }, patienceMs);
  }

  recordData(): void {
    this.unanswered = 0;
    this.receivedDuringProbe = true;
  }

  recordPong(): void {
    this.endProbe();
  }

  stop(): void {
    clearInterval(this.interval);
    this.endProbe();
  }

  private ping(): void {
    this.unanswered += 1;
    this.sendPing();
  }

  private endProbe(): void {
    clearTimeout(this.probeTimer);
    this.probeTimer = undefined;
  }
}
