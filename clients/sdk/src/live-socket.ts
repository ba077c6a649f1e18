import type { Credential } from './authorized-api.js';
import type { ClientFrame } from './frames.js';
import { cursorAfter, LiveStream, type AnyFrame } from './live-stream.js';
import {
  PersistentConnection,
  type ClosedEvent,
  type PersistentConnectionOptions,
  type LiveState,
} from './persistent-connection.js';
import { watchWakeUps } from './wake-up.js';

export interface LiveOptions extends PersistentConnectionOptions {
  /** A stored cursor: the socket first receives everything since. */
  after?: string | undefined;
}

/**
 * A socket that reconnects after every end that allows it, resumes at its cursor, and emits each durable event once. It
 * pings, and renews its token before it expires.
 */
export class LiveSocket<F extends object> extends LiveStream<F> {
  private readonly connection: PersistentConnection;
  private queuedFrames: AnyFrame[] | undefined;
  private stopWatching: (() => void) | undefined;

  /** @param query parameters besides the token */
  constructor(
    url: string,
    query: Record<string, string | undefined>,
    credential: Credential,
    options: LiveOptions = {},
  ) {
    super(options.after);
    const address = { url, query: () => ({ ...query, after: this.lastCursor }) };
    this.connection = new PersistentConnection(address, credential, options, {
      frame: frame => this.receive(frame),
      closed: event => this.handleClosed(event),
    });
  }

  /** URL without the query, which contains the token. */
  get address(): string {
    return this.connection.url;
  }

  get state(): LiveState {
    return this.connection.state;
  }

  open(): Promise<void> {
    if (this.connection.state === 'idle') {
      this.stopWatching = watchWakeUps(() => this.wake());
      this.connection.start();
    }
    return this.opened.promise;
  }

  wake(): void {
    this.connection.wake();
  }

  send(frame: ClientFrame): boolean {
    return this.connection.send(frame);
  }

  close(): void {
    this.queuedFrames = undefined;
    this.connection.stop(1000, 'closed by this side');
  }

  private receive(frame: AnyFrame): void {
    if (this.queuedFrames) {
      this.queuedFrames.push(frame);
      return;
    }
    this.emitFrame(frame);
    if (frame.type !== 'connected') return;
    // The same packet may contain more frames. They wait one turn, so that a caller of open() can add listeners first.
    this.queuedFrames = [];
    setTimeout(() => this.flushQueue());
    this.opened.resolve();
  }

  private emitFrame(frame: AnyFrame): void {
    this.lastCursor = cursorAfter(frame) ?? this.lastCursor;
    this.dispatch(frame);
  }

  private flushQueue(): void {
    for (let next = this.queuedFrames?.shift(); next; next = this.queuedFrames?.shift()) this.emitFrame(next);
    this.queuedFrames = undefined;
  }

  private handleClosed(event: ClosedEvent): void {
    this.flushQueue();
    if (!event.willReconnect) this.stopWatching?.();
    this.dispatchClosed(event);
  }
}
