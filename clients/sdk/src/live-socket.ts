import { ApiError } from './api-error.js';
import type { Credential } from './authorized-api.js';
import { deferred } from './deferred.js';
import { Emitter } from './emitter.js';
import { isRecord } from './envelope.js';
import type { ClientFrame } from './frames.js';
import {
  PersistentConnection,
  type ClosedEvent,
  type PersistentConnectionOptions,
  type LiveState,
} from './persistent-connection.js';
import { RecentIds } from './recent-ids.js';
import { watchWakeUps } from './wake-up.js';

export interface LiveOptions extends PersistentConnectionOptions {
  /** A stored cursor: the socket first receives everything since. */
  after?: string | undefined;
}

/** Events of a socket: the service's frames by type, all frames as `*`, and the SDK's own `closed`. */
export type LiveEvents<F> = F & { '*': F[keyof F]; closed: ClosedEvent };

type AnyFrame = Record<string, unknown> & { type: string };

/**
 * A socket that reconnects after every end that allows it, resumes at its cursor, and emits each durable event once. It
 * pings, and renews its token before it expires.
 */
export class LiveSocket<F extends object> {
  private readonly emitter = new Emitter<LiveEvents<F>>();
  private readonly seenIds = new RecentIds();
  private readonly connection: PersistentConnection;
  private readonly opened = deferred();
  private queuedFrames: AnyFrame[] | undefined;
  private lastCursor: string | undefined;
  private stopWatching: (() => void) | undefined;

  /** @param query parameters besides the token */
  constructor(
    url: string,
    query: Record<string, string | undefined>,
    credential: Credential,
    options: LiveOptions = {},
  ) {
    this.lastCursor = options.after;
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

  /** Cursor of the last emitted event; store it to continue with another socket. */
  get cursor(): string | undefined {
    return this.lastCursor;
  }

  /**
   * Starts connecting. Listeners added before receive every frame.
   * @returns when the service has accepted the socket; retries while the service is unavailable
   * @throws ApiError when the socket is refused for good, or closed
   */
  open(): Promise<void> {
    if (this.connection.state === 'idle') {
      this.stopWatching = watchWakeUps(() => this.wake());
      this.connection.start();
    }
    return this.opened.promise;
  }

  /** @returns a function that removes the listener */
  on<T extends keyof LiveEvents<F>>(type: T, listener: (event: LiveEvents<F>[T]) => void): () => void {
    return this.emitter.on(type, listener);
  }

  /**
   * Returns the next frame of a type that matches. Call it before the action that causes the frame.
   * @throws ApiError `timeout`, or `socket_closed` when the socket has ended for good
   */
  waitFor<T extends keyof F & string>(
    type: T,
    fits: (frame: F[T]) => boolean = () => true,
    timeoutMs = 10_000,
  ): Promise<F[T]> {
    const { promise, resolve, reject } = deferred<F[T]>();
    const timer = setTimeout(() => reject(frameTimeout(type, timeoutMs)), timeoutMs);
    const unsubscribes = [
      this.on(type, frame => {
        try {
          if (fits(frame as F[T])) resolve(frame as F[T]);
        } catch (error) {
          reject(error);
        }
      }),
      this.on('closed', event => {
        if (!event.willReconnect) reject(event.error ?? socketClosed(event));
      }),
    ];
    if (this.state === 'closed') reject(socketClosed());
    const settled = promise.finally(() => {
      clearTimeout(timer);
      for (const off of unsubscribes) off();
    });
    // The caller may never await the promise.
    settled.catch(() => undefined);
    return settled;
  }

  /** @returns false when there is no connection */
  send(frame: ClientFrame): boolean {
    return this.connection.send(frame);
  }

  /** Shows that the caller is typing, for 8 s or until {@link stopTyping}; `private` shows it to agents only. */
  typing(conversationId: string, options: { private?: boolean } = {}): boolean {
    return this.send({ type: 'typing', conversation_id: conversationId, ...options });
  }

  stopTyping(conversationId: string): boolean {
    return this.send({ type: 'typing.stop', conversation_id: conversationId });
  }

  /** Keeps the caller marked as online. */
  heartbeat(): boolean {
    return this.send({ type: 'presence.heartbeat' });
  }

  /**
   * Checks the connection now instead of at the next ping, and reconnects at once if there is no answer within 4 s. Ends
   * the wait between two attempts. In a page the socket does this by itself when the page is shown again, leaves the
   * back-forward cache, or is online again. Call it in another runtime that knows of a sleep.
   */
  wake(): void {
    this.connection.wake();
  }

  /** Closes the socket without reconnecting. */
  close(): void {
    this.queuedFrames = undefined;
    this.connection.stop(1000, 'closed by this side');
  }

  private receive(frame: AnyFrame): void {
    if (this.queuedFrames) {
      this.queuedFrames.push(frame);
      return;
    }
    this.dispatch(frame);
    if (frame.type !== 'connected') return;
    // The same packet may contain more frames. They wait one turn, so that a caller of open() can add listeners first.
    this.queuedFrames = [];
    setTimeout(() => this.flushQueue());
    this.opened.resolve();
  }

  private dispatch(frame: AnyFrame): void {
    const { type, id } = frame;
    const cursor = cursorAfter(frame);
    if (typeof cursor === 'string') this.lastCursor = cursor;
    if (typeof id === 'string' && !this.seenIds.add(id)) return;
    this.emitter.emit(type as keyof LiveEvents<F>, frame as never);
    this.emitter.emit('*', frame as never);
  }

  private flushQueue(): void {
    for (let next = this.queuedFrames?.shift(); next; next = this.queuedFrames?.shift()) this.dispatch(next);
    this.queuedFrames = undefined;
  }

  private handleClosed(event: ClosedEvent): void {
    this.flushQueue();
    this.emitter.emit('closed', event as never);
    if (event.willReconnect) return;
    this.stopWatching?.();
    this.opened.reject(event.error ?? socketClosed(event));
  }
}

/**
 * Cursor after a frame. Replayed frames carry the cursor that the socket sent, so that a connection lost during a
 * replay repeats it from there; `resumed` carries the end.
 */
function cursorAfter({ type, cursor, data }: AnyFrame): unknown {
  if (cursor !== undefined || !isRecord(data)) return cursor;
  if (type === 'connected') return data['cursor'];
  return type === 'resumed' ? data['to'] : undefined;
}

function frameTimeout(type: string, timeoutMs: number): ApiError {
  return new ApiError({ status: 0, code: 'timeout', message: `No ${type} came within ${timeoutMs} ms.` });
}

/**
 * HTTP status equivalent to a close code. Pages cannot read the HTTP response of a refused handshake, so `status` means
 * the same in pages and in Node.
 */
const STATUS_OF_CLOSE: Readonly<Record<number, number>> = { 4003: 401, 4500: 403, 4502: 401, 4504: 404 };

function socketClosed(event?: ClosedEvent): ApiError {
  const why = event ? `: ${event.code} ${event.reason}`.trimEnd() : '';
  return new ApiError({
    status: STATUS_OF_CLOSE[event?.code ?? 0] ?? 0,
    code: 'socket_closed',
    message: `The socket has ended${why}.`,
    data: event && { close_code: event.code },
  });
}
