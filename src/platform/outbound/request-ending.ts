/** Ends one request early: because of its caller, of a time limit, or because the service stops. */
export class RequestEnding {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private readonly onCallerAbort = (): void => this.end(this.caller?.reason);

  constructor(private readonly caller?: AbortSignal) {
    if (caller?.aborted) this.onCallerAbort();
    else caller?.addEventListener('abort', this.onCallerAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** @param reason the error that the request's caller gets */
  end(reason: unknown): void {
    clearTimeout(this.timer);
    this.controller.abort(reason);
  }

  /** Ends the request after `ms`, unless another limit replaces this one. */
  limit(ms: number, createReason: () => Error): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(createReason()), ms);
  }

  lift(): void {
    clearTimeout(this.timer);
  }

  /** Lets go of the timer and of the caller's signal. */
  dispose(): void {
    this.lift();
    this.caller?.removeEventListener('abort', this.onCallerAbort);
  }
}
