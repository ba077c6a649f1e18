import { OutboundStopped } from './outbound.errors.js';
import { RequestEnding } from './request-ending.js';

/** The requests that wait or run on this instance, so that none outlives it. */
export class RequestsUnderWay {
  private readonly endings = new Set<RequestEnding>();
  private stopTimer: NodeJS.Timeout | undefined;
  private stopped = false;
  private onChange: () => void = () => undefined;

  /**
   * Runs one request.
   * @throws OutboundStopped after `abortAfter` has elapsed, or after `drain`
   */
  async run<T>(caller: AbortSignal | undefined, send: (ending: RequestEnding) => Promise<T>): Promise<T> {
    if (this.stopped) throw new OutboundStopped();
    const ending = new RequestEnding(caller);
    this.endings.add(ending);
    try {
      return await send(ending);
    } finally {
      ending.dispose();
      this.endings.delete(ending);
      this.onChange();
    }
  }

  /** Gives the requests this much time, once. */
  abortAfter(ms: number): void {
    this.stopTimer ??= setTimeout(() => this.stop(), ms).unref();
  }

  /** Waits until no request is under way or their time has elapsed, and refuses new ones. */
  async drain(): Promise<void> {
    if (this.endings.size > 0 && !this.stopped) {
      await new Promise<void>(resolve => {
        this.onChange = () => (this.endings.size === 0 || this.stopped ? resolve() : undefined);
      });
    }
    this.stop();
  }

  private stop(): void {
    clearTimeout(this.stopTimer);
    this.stopped = true;
    for (const ending of this.endings) ending.end(new OutboundStopped());
    this.onChange();
  }
}
