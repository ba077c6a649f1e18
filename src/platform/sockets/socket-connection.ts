import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Audience, SerializedFrame } from '../../kernel/serialized-frame.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../kernel/principal.js';
import { principalKey } from '../../kernel/principal.js';
import type { CloseReason } from '../../kernel/close-codes.js';
import { CLOSE, CLOSE_TEXT } from '../../kernel/close-codes.js';
import { TextFrame } from './text-frame.js';
import { bytesTaken } from './wire-progress.js';
import type { FrameLimits } from './frame-limits.js';
import type { TokenBucket } from './token-bucket.js';
import { TickWriter } from './tick-writer.js';

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
export const BUFFER = { passing: 1024 * 1024, limit: 4 * 1024 * 1024 } as const;
/** How long the other side may take to close its own, before the connection is cut. */
export const CLOSING_MS = 2_000;
const FAULTS = { count: 10, withinMs: 60_000 } as const;

/** What a connection says: text, or a frame that was made of one because it goes to many. */
export type Outgoing = SerializedFrame | TextFrame;

const writer = new TickWriter();

/** What has come for a client that is being told what it has missed. */
interface PendingFrames {
  frames: TextFrame[];
  bytes: number;
}

function asFrame(said: Outgoing): TextFrame {
  return typeof said === 'string' ? TextFrame.of(said) : said;
}

function takeFrom(held: PendingFrames): TextFrame | undefined {
  const frame = held.frames.shift();
  held.bytes -= frame?.bytes.length ?? 0;
  return frame;
}

/** One open socket: what it may hear, when it was last heard, how much it may still say. */
export class SocketConnection {
  readonly id = newId();
  /** By which the sockets of one principal are counted. */
  readonly principalKey: string;
  readonly topics = new Set<string>();
  lastActivityAt = performance.now();
  /** When it is pinged next; null until its place in the round has been drawn. */
  pingAt: number | null = null;
  closedAt: number | null = null;
  /** Whether it has been told that its token is about to end. */
  warnedOfEnd = false;
  /** What has come while the client is being told what it has missed; null when nothing is held back. */
  private pending: PendingFrames | null = null;
  /** What the operating system had taken when it last took something, and when that was. */
  private taken = 0;
  private takenAt = performance.now();
  private readonly frames: TokenBucket | null;
  private readonly faultedAt: number[] = [];
  private readonly compressed: boolean;

  /**
   * @param wire the connection under the socket
   * @param handshakeStartedAt when its handshake began, in the time of `performance.now()`
   */
  constructor(
    readonly socket: WebSocket,
    private readonly wire: Duplex,
    public admission: Admission,
    readonly handshakeStartedAt: number,
    private readonly limits: FrameLimits,
  ) {
    this.frames = limits.socketBucket();
    this.principalKey = principalKey(admission.principal);
    this.compressed = socket.extensions !== '';
  }

  get principal(): Principal {
    return this.admission.principal;
  }

  /** @param passing whether the frame tells of something that will be out of date in a moment anyway */
  send(said: Outgoing, passing = false): void {
    if (!this.isOpen) return;
    const frame = asFrame(said);
    if (this.pending) return this.queue(this.pending, frame, passing);
    const waiting = this.socket.bufferedAmount;
    if (waiting > BUFFER.limit) return this.close('slowConsumer');
    if (passing && waiting > BUFFER.passing) return;
    this.write(frame);
  }

  /** Holds back what comes until `release`: what has been missed is told first. */
  pauseLive(): void {
    this.pending = { frames: [], bytes: 0 };
  }

  /**
   * Sends these before what is held back, no faster than the client reads.
   * @returns true when the operating system has taken all of them, false when the socket has closed
   */
  async replay(frames: readonly Outgoing[]): Promise<boolean> {
    const last = frames.at(-1);
    if (!last) return this.isOpen;
    const rest = frames.slice(0, -1);
    await this.sendPaced(() => rest.shift());
    await this.sent(last);
    return this.isOpen;
  }

  /**
   * Sends these, then what has been held back, then whatever comes. No faster than the client reads: one that has missed
   * more than may wait for a slow reader is not slow for that.
   */
  async resumeLive(first: readonly Outgoing[]): Promise<void> {
    const rest = [...first];
    const { pending: held } = this;
    if (!held) return;
    await this.sendPaced(() => rest.shift() ?? takeFrom(held));
    this.pending = null;
  }

  /**
   * Milliseconds for which the client has read nothing although it resumes, or although much waits for it. To be asked
   * again and again, for it compares with the last time.
   * @param late milliseconds for which this process stood still: the client may have read meanwhile
   */
  stalledMs(now: number, late: number): number {
    const mayWait = this.pending ? 0 : BUFFER.passing;
    const taken = this.socket.bufferedAmount > mayWait ? bytesTaken(this.wire) : NaN;
    this.takenAt = taken === this.taken ? Math.min(now, this.takenAt + late) : now;
    this.taken = taken;
    return now - this.takenAt;
  }

  private get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Runs without a pause while the client keeps up, so that what is sent after it in the same turn comes after it. */
  private async sendPaced(next: () => Outgoing | undefined): Promise<void> {
    for (let said = next(); said !== undefined && this.isOpen; said = next()) {
      if (this.socket.bufferedAmount < BUFFER.passing) this.write(asFrame(said));
      else await this.sent(said);
    }
  }

  /** Resolves when the operating system has taken the frame, and all before it, or the socket has closed. */
  private sent(said: Outgoing): Promise<void> {
    const { payload } = asFrame(said);
    return new Promise(resolve => this.socket.send(payload, { binary: false }, () => resolve()));
  }

  /**
   * A frame is the same bytes for everyone, so it goes past `ws`, which would make its header again for each; not where
   * compression was agreed upon, for then frames differ, and wait for one another inside of `ws`.
   */
  private write(frame: TextFrame): void {
    if (this.compressed) this.socket.send(frame.payload, { binary: false });
    else writer.write(this.wire, frame.bytes);
  }

  private queue(held: PendingFrames, frame: TextFrame, passing: boolean): void {
    if (passing && held.bytes > BUFFER.passing) return;
    held.frames.push(frame);
    held.bytes += frame.bytes.length;
    if (held.bytes > BUFFER.limit) this.close('slowConsumer');
  }

  /**
   * Notes that the client lives.
   * @param bytes of the frame that it sent; 0 for pings and pongs, which are short
   * @returns false when it sends more than it may, and has been closed for it
   */
  countFrame(bytes: number): boolean {
    this.lastActivityAt = performance.now();
    if ((this.frames?.take() ?? true) && this.limits.takeBytes(this.principalKey, bytes)) return true;
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
