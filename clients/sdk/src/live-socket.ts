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

export interface LiveOptions extends PersistentConnectionOptions {
  /** A cursor kept from earlier: everything since is told first. */
  after?: string | undefined;
}

/** What a socket tells its listeners: the service's frames by type, all of them as `*`, and its own `closed`. */
export type LiveEvents<F> = F & { '*': F[keyof F]; closed: ClosedEvent };

type AnyFrame = Record<string, unknown> & { type: string };

/**
 * A socket that stays: it connects again after every end that allows it, goes on where it was, and tells each durable
 * event once. By itself it pings, and shows a fresh token when its own is about to end.
 */
export class LiveSocket<F extends object> {
  private readonly emitter = new Emitter<LiveEvents<F>>();
  private readonly seenIds = new RecentIds();
  private readonly connection: PersistentConnection;
  private readonly opened = deferred();
  private queuedFrames: AnyFrame[] | undefined;
  private lastCursor: string | undefined;

  /** @param query beside the token */
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

  /** Without its query, which holds the token. */
  get address(): string {
    return this.connection.url;
  }

  get state(): LiveState {
    return this.connection.state;
  }

  /** Everything before it has been told; keep it to go on from there in another socket. */
  get cursor(): string | undefined {
    return this.lastCursor;
  }

  /**
   * Starts connecting. What listens already hears every frame.
   * @returns once the service has let the socket in; a service that is away is tried until it is back
   * @throws ApiError when the socket is refused for good, or closed
   */
  open(): Promise<void> {
    if (this.connection.state === 'idle') this.connection.start();
    return this.opened.promise;
  }

  /** @returns what takes the listener off again */
  on<T extends keyof LiveEvents<F>>(type: T, listener: (event: LiveEvents<F>[T]) => void): () => void {
    return this.emitter.on(type, listener);
  }

  /**
   * The next frame of a type that fits. Ask before doing what causes it.
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
    // Whoever asked may have given up before awaiting it.
    settled.catch(() => undefined);
    return settled;
  }

  /** @returns false when there is no connection just now */
  send(frame: ClientFrame): boolean {
    return this.connection.send(frame);
  }

  /** Shows that one is writing, for 8 s or until {@link stopTyping}; `private` shows it to agents only. */
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

  /** Ends the socket for good. */
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
    // More may lie in the same packet: it waits a turn, so that whoever awaits open() can listen first.
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
    if (!event.willReconnect) this.opened.reject(event.error ?? socketClosed(event));
  }
}

/**
 * How far the listener has been told. While it is told what it has missed that is the cursor it came with, so that one
 * who is cut off amid it begins there again; `resumed` is the end of it.
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
 * What a refusal by close code would have been as an HTTP answer, which pages cannot read: whoever is asked to sign in
 * again is told so by `status`, on every way.
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
