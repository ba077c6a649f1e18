import type { WebSocket } from 'ws';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../kernel/principal.js';
import type { CloseReason } from '../../kernel/close-codes.js';
import { CLOSE, CLOSE_TEXT } from '../../kernel/close-codes.js';
import { TokenBucket } from './token-bucket.js';

/** Which of the two views of an event a socket gets. */
export type Audience = 'agent' | 'visitor';

/** What the door found out about a connection before it was let in. */
export interface Admission {
  principal: Principal;
  audience: Audience;
  /** The name of the room, as `connected` tells it: `inbox`, a conversation's id, or `contact`. */
  room: string;
  topics: readonly string[];
  /** The one conversation that it listens to, and its channel; null for an inbox, or the room of a contact. */
  conversationId: string | null;
  channelId: string | null;
  /** Where in the event log the client was when it last heard of us; null for one that begins now. */
  after: string | null;
  /** When its token ends; null for one that does not. */
  expiresAt: Date | null;
}

/** Bytes that may wait for a slow reader: passing frames stop at the first mark, the socket ends at the second. */
const BUFFER = { passing: 1024 * 1024, limit: 4 * 1024 * 1024 } as const;
const FRAMES = { perSecond: 20, burst: 40 } as const;
const FAULTS = { count: 10, withinMs: 60_000 } as const;

/** One open socket: what it may hear, when it was last heard, how much it may still say. */
export class SocketConnection {
  readonly id = newId();
  readonly topics = new Set<string>();
  heardAt = performance.now();
  pingedAt = performance.now();
  closedAt: number | null = null;
  /** Whether it has been told that its token is about to end. */
  warnedOfEnd = false;
  /** What has come while the client is being told what it has missed; null when nothing is held back. */
  private held: { payloads: (string | Buffer)[]; bytes: number } | null = null;
  private readonly frames = new TokenBucket(FRAMES.perSecond, FRAMES.burst);
  private readonly faultedAt: number[] = [];

  /** @param askedAt when its handshake began, in the time of `performance.now()` */
  constructor(
    readonly socket: WebSocket,
    public admission: Admission,
    readonly askedAt: number,
  ) {}

  get principal(): Principal {
    return this.admission.principal;
  }

  /** @param passing whether the frame tells of something that will be out of date in a moment anyway */
  send(payload: string | Buffer, passing = false): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.held) return this.keep(this.held, payload);
    if (this.socket.bufferedAmount > BUFFER.limit) return this.close('slowConsumer');
    if (passing && this.socket.bufferedAmount > BUFFER.passing) return;
    this.socket.send(payload, { binary: false });
  }

  /** Holds back what comes until `release`: what has been missed is told first. */
  hold(): void {
    this.held = { payloads: [], bytes: 0 };
  }

  /** Says these, then what has been held back, then whatever comes. */
  release(first: readonly (string | Buffer)[]): void {
    const { payloads } = this.held ?? { payloads: [] };
    this.held = null;
    for (const payload of [...first, ...payloads]) this.send(payload);
  }

  private keep(held: { payloads: (string | Buffer)[]; bytes: number }, payload: string | Buffer): void {
    held.payloads.push(payload);
    held.bytes += payload.length;
    if (held.bytes > BUFFER.limit) this.close('slowConsumer');
  }

  /** Notes that the client lives. @returns false when it talks more than it may, and has been closed for it */
  hear(): boolean {
    this.heardAt = performance.now();
    if (this.frames.take()) return true;
    this.close('rateLimited');
    return false;
  }

  /** Notes a faulty frame; the tenth within a minute closes the socket. */
  fault(): void {
    const now = performance.now();
    this.faultedAt.push(now);
    if (this.faultedAt.length < FAULTS.count) return;
    const [first = now] = this.faultedAt.splice(0, 1);
    if (now - first <= FAULTS.withinMs) this.close('protocolError');
  }

  close(reason: CloseReason): void {
    this.closedAt ??= performance.now();
    this.socket.close(CLOSE[reason], CLOSE_TEXT[reason]);
  }
}
