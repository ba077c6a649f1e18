import { ApiError } from './api-error.js';
import { deferred } from './deferred.js';
import { Emitter } from './emitter.js';
import { isRecord } from './envelope.js';
import type { ClientFrame } from './frames.js';
import type { ClosedEvent, LiveState } from './persistent-connection.js';
import { RecentIds } from './recent-ids.js';

/** Events of a socket: the service's frames by type, all frames as `*`, and the SDK's own `closed`. */
export type LiveEvents<F> = F & { '*': F[keyof F]; closed: ClosedEvent };

export type AnyFrame = Record<string, unknown> & { type: string };

/** Frames of the service, each durable event once: from a socket of this page, or from one that several tabs share. */
export abstract class LiveStream<F extends object> {
  protected readonly emitter = new Emitter<LiveEvents<F>>();
  protected readonly opened = deferred();
  protected readonly seenIds = new RecentIds();

  constructor(protected lastCursor: string | undefined) {}

  abstract get state(): LiveState;

  /** Cursor of the last emitted event; store it to continue with another socket. */
  get cursor(): string | undefined {
    return this.lastCursor;
  }

  /**
   * Starts connecting. Listeners added before receive every frame.
   * @returns when the service has accepted the socket; retries while the service is unavailable
   * @throws ApiError when the socket is refused for good, or closed
   */
  abstract open(): Promise<void>;

  /**
   * Checks the connection now instead of at the next ping, and reconnects at once if there is no answer within 4 s. Ends
   * the wait between two attempts. In a page the socket does this by itself when the page is shown again, leaves the
   * back-forward cache, or is online again. Call it in another runtime that knows of a sleep.
   */
  abstract wake(): void;

  /** @returns false when there is no connection */
  abstract send(frame: ClientFrame): boolean;

  /** Closes the socket without reconnecting. */
  abstract close(): void;

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
        if (!event.willReconnect) reject(closedError(event));
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

  /** Emits a frame, unless it is an event that was emitted before. */
  protected dispatch(frame: AnyFrame): void {
    const { type, id } = frame;
    if (typeof id === 'string' && !this.seenIds.add(id)) return;
    this.emitter.emit(type as keyof LiveEvents<F>, frame as never);
    this.emitter.emit('*', frame as never);
  }

  protected dispatchClosed(event: ClosedEvent): void {
    this.emitter.emit('closed', event as never);
    if (!event.willReconnect) this.opened.reject(closedError(event));
  }
}

/**
 * Cursor after a frame; undefined for a frame without one. Replayed frames carry the cursor that the socket sent, so
 * that a connection lost during a replay repeats it from there; `resumed` carries the end.
 */
export function cursorAfter({ type, cursor, data }: AnyFrame): string | undefined {
  if (typeof cursor === 'string') return cursor;
  const inData = isRecord(data) && (type === 'connected' ? data['cursor'] : type === 'resumed' && data['to']);
  return typeof inData === 'string' ? inData : undefined;
}

function frameTimeout(type: string, timeoutMs: number): ApiError {
  return new ApiError({ status: 0, code: 'timeout', message: `No ${type} came within ${timeoutMs} ms.` });
}

/** Error of a `closed` event after which the socket does not reconnect. */
export function closedError(event: ClosedEvent): ApiError {
  return event.error ?? socketClosed(event);
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
