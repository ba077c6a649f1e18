import { queryString } from './addresses.js';
import { ApiError } from './api-error.js';
import type { Credential } from './authorized-api.js';
import type { Backoff } from './backoff.js';
import { isRecord, parseJson } from './envelope.js';
import { Keepalive } from './keepalive.js';
import { decideAfterClose, decideAfterRefusal, type ReconnectDecision } from './reconnect.js';
import { showsRefusals } from './node-web-socket.js';
import { connect, findWebSocket, type Connection } from './web-socket.js';
import type { WebSocketConstructor } from './web-socket-like.js';

export interface PersistentConnectionOptions {
  /** A custom WebSocket, for tests and other runtimes. */
  WebSocket?: WebSocketConstructor | undefined;
  /** Milliseconds within which a connection must be established; default 15,000. */
  timeoutMs?: number | undefined;
  /** Wait between attempts; default 500 ms, doubling up to 30 s. */
  backoff?: Backoff | undefined;
  /** Overrides the value of the `connected` frame. */
  pingIntervalMs?: number | undefined;
  pongWaitMs?: number | undefined;
  /** Random numbers from 0 to 1, for tests. */
  random?: (() => number) | undefined;
}

/** Why a connection ended, and whether the socket reconnects. */
export interface ClosedEvent {
  code: number;
  reason: string;
  willReconnect: boolean;
  /** Milliseconds until the reconnect. */
  waitMs: number;
  /** Set if the handshake was refused, or no token could be obtained. */
  error: ApiError | undefined;
}

export type LiveState = 'idle' | 'connecting' | 'connected' | 'waiting' | 'closed';

export interface PersistentConnectionEvents {
  frame(frame: Record<string, unknown> & { type: string }): void;
  closed(event: ClosedEvent): void;
}

/** A connection that ends sooner counts as a failed attempt, so the waits keep growing. */
const STABLE_MS = 5_000;
/** Time for an answer after a wake-up. A connection attempt that is older may have begun before the sleep. */
const WAKE_PATIENCE_MS = 4_000;
const PONG_TIMEOUT = 4001;
const ABNORMAL = 1006;

/** Keeps one connection open: reconnects after every end that allows it. */
export class PersistentConnection {
  private readonly keepalive = new Keepalive(
    () => this.send({ type: 'ping' }),
    probed => this.dropConnection(PONG_TIMEOUT, 'no answer arrived from the service in time', probed),
  );
  private currentState: LiveState = 'idle';
  private connection: Connection | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private token = '';
  private staleToken: string | undefined;
  private attempt = 0;
  private connectedAt: number | undefined;
  private connectingSince = 0;
  /** The service has asked for no attempt before this time. */
  private notBefore = 0;

  /** @param address URL and query without the token; the query is read for each connection */
  constructor(
    private readonly address: { url: string; query: () => Record<string, string | undefined> },
    private readonly credential: Credential,
    private readonly options: PersistentConnectionOptions,
    private readonly events: PersistentConnectionEvents,
  ) {}

  get url(): string {
    return this.address.url;
  }

  get state(): LiveState {
    return this.currentState;
  }

  start(): void {
    this.currentState = 'connecting';
    this.open().catch((error: unknown) => this.handleEnd(ABNORMAL, '', toApiError(error)));
  }

  /** @returns false when there is no connection */
  send(frame: object): boolean {
    return this.currentState === 'connected' && (this.connection?.send(JSON.stringify(frame)) ?? false);
  }

  /**
   * Checks the connection now, because it may have died unnoticed: pings it, and reconnects at once if no pong arrives
   * within 4 s. A wait between attempts ends, except for one that the service has asked for.
   */
  wake(): void {
    if (this.currentState === 'connected') return this.keepalive.probe(WAKE_PATIENCE_MS);
    const now = performance.now();
    if (this.currentState === 'waiting') this.startIn(Math.max(0, this.notBefore - now));
    const isOldAttempt = this.connection !== undefined && now - this.connectingSince >= WAKE_PATIENCE_MS;
    if (this.currentState === 'connecting' && isOldAttempt) {
      this.dropConnection(ABNORMAL, 'the attempt was still open at a wake-up', true);
    }
  }

  /** Ends the connection without reconnecting. */
  stop(code: number, reason: string): void {
    this.connection?.close(code);
    this.finish({ code, reason, willReconnect: false, waitMs: 0, error: undefined });
  }

  private async open(): Promise<void> {
    const { staleToken } = this;
    this.token =
      staleToken !== undefined && this.credential.renew
        ? await this.credential.renew(staleToken)
        : this.credential.current();
    const WebSocket = this.options.WebSocket ?? (await findWebSocket());
    // stopped while the token was being renewed
    if (this.state === 'closed') return;
    const reject = showsRefusals(WebSocket) ? undefined : 'close';
    const query = { token: this.token, ...this.address.query(), reject };
    this.connectingSince = performance.now();
    this.connection = connect(WebSocket, `${this.address.url}${queryString(query)}`, {
      frame: text => this.handleFrame(text),
      ended: (code, reason, refusal) => this.handleEnd(code, reason, refusal),
    });
    const patience = this.options.timeoutMs ?? 15_000;
    this.timer = setTimeout(() => this.dropConnection(ABNORMAL, `not connected within ${patience} ms`), patience);
  }

  private handleFrame(text: string): void {
    this.keepalive.recordData();
    const frame = parse(text);
    if (!frame) return;
    if (frame.type === 'pong') this.keepalive.recordPong();
    if (frame.type === 'connected') this.handleConnected(isRecord(frame['data']) ? frame['data'] : frame);
    if (frame.type === 'token.expiring') this.renewToken().catch(() => undefined);
    this.events.frame(frame);
  }

  private handleConnected(data: Record<string, unknown>): void {
    clearTimeout(this.timer);
    this.currentState = 'connected';
    this.connectedAt = performance.now();
    this.staleToken = undefined;
    const { pingIntervalMs = data['ping_interval_ms'], pongWaitMs = data['pong_wait_ms'] } = this.options;
    this.keepalive.start(Number(pingIntervalMs) || 25_000, Number(pongWaitMs) || 60_000);
  }

  /** Sends a fresh token before the old one expires. If renewal fails, the connection ends with its token. */
  private async renewToken(): Promise<void> {
    const { connection, token } = this;
    const fresh = await this.credential.renew?.(token);
    if (fresh === undefined || this.connection !== connection) return;
    this.token = fresh;
    this.send({ type: 'auth', token: fresh });
  }

  private dropConnection(code: number, reason: string, reconnectNow = false): void {
    this.connection?.drop();
    this.handleEnd(code, reason, undefined, reconnectNow);
  }

  private handleEnd(code: number, reason: string, error?: ApiError, reconnectNow = false): void {
    if (this.currentState === 'closed') return;
    const verdict = this.decide(code, error);
    if (!verdict.again) return this.finish({ code, reason, willReconnect: false, waitMs: 0, error });
    if (verdict.freshToken) this.staleToken = this.token;
    this.reset('waiting');
    this.notBefore = performance.now() + (verdict.minWaitMs ?? 0);
    const waitMs = reconnectNow ? 0 : verdict.waitMs;
    this.startIn(waitMs);
    this.events.closed({ code, reason, willReconnect: true, waitMs, error });
  }

  private startIn(waitMs: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), waitMs);
  }

  private decide(code: number, error: ApiError | undefined): ReconnectDecision {
    if (this.connectedAt !== undefined && performance.now() - this.connectedAt >= STABLE_MS) this.attempt = 0;
    const circumstances = {
      attempt: this.attempt++,
      backoff: this.options.backoff ?? { baseMs: 500, capMs: 30_000 },
      random: this.options.random ?? Math.random,
      renewable: this.credential.renew !== undefined && this.staleToken === undefined,
    };
    return error ? decideAfterRefusal(error, circumstances) : decideAfterClose(code, circumstances);
  }

  private finish(event: ClosedEvent): void {
    if (this.currentState === 'closed') return;
    this.reset('closed');
    this.events.closed(event);
  }

  private reset(state: 'waiting' | 'closed'): void {
    this.currentState = state;
    this.keepalive.stop();
    clearTimeout(this.timer);
    this.connection = undefined;
    this.connectedAt = undefined;
  }
}

function parse(text: string): (Record<string, unknown> & { type: string }) | undefined {
  const frame = parseJson(text);
  return isRecord(frame) && typeof frame['type'] === 'string' ? (frame as { type: string }) : undefined;
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError({ status: 0, code: 'socket_unavailable', message, cause: error });
}
