import type { WebSocketConstructor, WebSocketLike } from '../../clients/sdk/src/index.js';
import type { FakeTab } from './fake-browser.js';

/** Milliseconds of a handshake. */
const HANDSHAKE_MS = 20;
const OPEN = 1;

/**
 * The service's side of sockets without a network: a log of numbered events, which each socket receives from its cursor
 * on. As in the service, a cursor may be older than the event that comes with it, and replayed events have the cursor
 * that the client sent.
 */
export class FakeEventLog {
  /** Number of the newest event. */
  last = 0;
  /** The service replays no more events than this. */
  replayLimit = Infinity;
  /** Frames that each socket receives after `connected`. */
  snapshot: object[] = [];
  /** Close code of each handshake; undefined accepts it. */
  refusal: number | undefined;
  readonly sockets = new Set<FakeWebSocket>();
  /** The cursor of each handshake. */
  readonly handshakes: (string | null)[] = [];
  /** Frames that clients have sent, pings excepted. */
  readonly received: object[] = [];

  /** Sockets of tabs that have not ended. */
  get openSockets(): number {
    return [...this.sockets].filter(({ tab }) => !tab.hasEnded).length;
  }

  append(count = 1): void {
    for (let added = 0; added < count; added++) {
      this.last += 1;
      const cursor = `c${this.last - (this.last % 2)}`;
      for (const socket of this.sockets) socket.deliver(eventFrame(this.last, cursor));
    }
  }

  /** Sends an ephemeral frame to all sockets. */
  broadcast(frame: object): void {
    for (const socket of this.sockets) socket.deliver(frame);
  }

  /** Ends all connections. */
  cut(code = 1011): void {
    for (const socket of [...this.sockets]) socket.end(code);
  }

  /** The WebSocket of a tab. */
  webSocketOf(tab: FakeTab): WebSocketConstructor {
    const log: FakeEventLog = this;
    return class extends FakeWebSocket {
      constructor(url: string) {
        super(log, tab, new URL(url).searchParams.get('after'));
      }
    };
  }
}

function eventFrame(number: number, cursor: string): object {
  return { type: 'message.created', id: `e${number}`, cursor, data: { number } };
}

class FakeWebSocket implements WebSocketLike {
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  readyState = 0;

  constructor(
    private readonly log: FakeEventLog,
    readonly tab: FakeTab,
    after: string | null,
  ) {
    log.handshakes.push(after);
    setTimeout(() => this.accept(after), HANDSHAKE_MS);
  }

  send(text: string): void {
    const frame = JSON.parse(text) as { type: string };
    if (frame.type === 'ping') this.deliver({ type: 'pong' });
    else this.log.received.push(frame);
  }

  close(): void {
    this.readyState = 3;
    this.log.sockets.delete(this);
  }

  deliver(frame: object): void {
    if (this.tab.hasEnded) this.close();
    this.tab.run(() => this.onmessage?.({ data: JSON.stringify(frame) } as never));
  }

  end(code: number): void {
    this.close();
    this.tab.run(() => this.onclose?.({ code, reason: '' } as never));
  }

  private accept(after: string | null): void {
    if (this.readyState === 3) return;
    if (this.log.refusal !== undefined) return this.end(this.log.refusal);
    this.readyState = OPEN;
    this.log.sockets.add(this);
    const { last, snapshot, replayLimit } = this.log;
    const from = after === null ? last : Number(after.slice(1));
    const canReplay = last - from <= replayLimit;
    this.deliver({ type: 'connected', data: { cursor: canReplay && after !== null ? after : `c${last}` } });
    if (!canReplay) this.deliver({ type: 'sync.required', data: { reason: 'too_many' } });
    else if (after !== null) {
      for (let number = from + 1; number <= last; number++) this.deliver(eventFrame(number, after));
      this.deliver({ type: 'resumed', data: { from: after, to: `c${last}`, count: last - from } });
    }
    for (const frame of snapshot) this.deliver(frame);
  }
}
