import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Audience, SerializedFrame } from '../../kernel/serialized-frame.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../kernel/principal.js';
import { principalKey } from '../../kernel/principal.js';
import type { CloseReason } from '../../kernel/close-codes.js';
import { CLOSE, CLOSE_TEXT } from '../../kernel/close-codes.js';
import { TextFrame } from './text-frame.js';
import { countBytesTaken } from './wire-progress.js';
import type { FrameLimitsPolicy } from './frame-limits.policy.js';
import type { TokenBucket } from './token-bucket.js';
import { TickWriter } from './tick-writer.js';

/** The result of an authorized handshake. */
export interface Admission {
  principal: Principal;
  audience: Audience;
  /** The room's name in the `connected` frame. */
  room: string;
  topics: readonly string[];
  /** The routing keys of the room; null for a room of no single conversation. */
  conversationId: string | null;
  channelId: string | null;
  contactId: string | null;
  /** The client's last cursor in the event log; null for a client that does not resume. */
  after: string | null;
  /** When its token expires; null for one that does not. */
  expiresAt: Date | null;
}

/**
 * Buffered bytes for a slow reader. Above `ephemeral` the socket gets no ephemeral frames, above `limit` it is closed.
 * The benchmark reads the limit too.
 */
export const BUFFER = { ephemeral: 1024 * 1024, limit: 4 * 1024 * 1024 } as const;
/** Time for the client to complete the closing handshake before the connection is terminated. */
export const CLOSING_MS = 2_000;
const FAULTS = { max: 10, withinMs: 60_000 } as const;

/** Text, or a frame that was encoded once because it goes to many sockets. */
export type Outgoing = SerializedFrame | TextFrame;

/** Live frames queued behind a replay. */
interface PendingFrames {
  frames: TextFrame[];
  bytes: number;
}

export function toFrame(outgoing: Outgoing): TextFrame {
  return typeof outgoing === 'string' ? TextFrame.fromText(outgoing) : outgoing;
}

function shiftPending(pending: PendingFrames): TextFrame | undefined {
  const frame = pending.frames.shift();
  pending.bytes -= frame?.bytes.length ?? 0;
  return frame;
}

/** One open socket: its topics, its last activity, its outgoing buffer and its limits. */
export class SocketConnection {
  readonly id = newId();
  /** The same for all sockets of one principal. */
  readonly principalKey: string;
  readonly topics = new Set<string>();
  /** When the client last sent a frame, in the time of `performance.now()`. */
  lastActivityAt = performance.now();
  /** When the next ping is due; null until the first one is scheduled. */
  pingAt: number | null = null;
  closedAt: number | null = null;
  /** True once `token.expiring` was sent for the current token. */
  warnedOfExpiry = false;
  /** Live frames queued during a replay; null when live delivery is not paused. */
  private pending: PendingFrames | null = null;
  /** The count of `countBytesTaken` at the last check, and when it last changed. */
  private taken = 0;
  private takenAt = performance.now();
  private readonly frames: TokenBucket | null;
  private readonly faultedAt: number[] = [];
  private readonly compressed: boolean;
  private readonly writer: TickWriter;

  /**
   * @param wire the TCP or TLS connection under the socket
   * @param handshakeStartedAt in the time of `performance.now()`
   */
  constructor(
    readonly socket: WebSocket,
    private readonly wire: Duplex,
    public admission: Admission,
    readonly handshakeStartedAt: number,
    private readonly limits: FrameLimitsPolicy,
  ) {
    this.frames = limits.socketBucket();
    this.principalKey = principalKey(admission.principal);
    this.compressed = socket.extensions !== '';
    this.writer = new TickWriter(socket, wire);
  }

  get principal(): Principal {
    return this.admission.principal;
  }

  /**
   * Sends a frame, or queues it during a replay. Closes a socket that reads too slowly.
   * @param ephemeral drops the frame for a slow reader, because it is out of date in a moment anyway
   */
  send(outgoing: Outgoing, ephemeral = false): void {
    if (!this.isOpen) return;
    const frame = toFrame(outgoing);
    if (this.pending) return this.queue(this.pending, frame, ephemeral);
    const waiting = this.bufferedBytes;
    if (waiting > BUFFER.limit) return this.close('slowConsumer');
    if (ephemeral && waiting > BUFFER.ephemeral) return;
    this.write(frame);
  }

  /** Queues live frames until `resumeLive`, so that missed frames are sent first. */
  pauseLive(): void {
    this.pending = { frames: [], bytes: 0 };
  }

  /**
   * Sends frames ahead of the queued live frames, no faster than the client reads.
   * @returns true when the operating system has taken all of them, false when the socket has closed
   */
  async replay(frames: readonly Outgoing[]): Promise<boolean> {
    const last = frames.at(-1);
    if (!last) return this.isOpen;
    const rest = frames.slice(0, -1);
    await this.sendPaced(() => rest.shift());
    await this.sendAndWait(last);
    return this.isOpen;
  }

  /**
   * Sends `first`, then the queued frames, and resumes live delivery. Sends no faster than the client reads, so that a
   * client that missed more than the buffer holds is not closed as a slow reader.
   */
  async resumeLive(first: readonly Outgoing[]): Promise<void> {
    const rest = [...first];
    const { pending } = this;
    if (!pending) return;
    await this.sendPaced(() => rest.shift() ?? shiftPending(pending));
    this.pending = null;
  }

  /**
   * Measures for how many milliseconds the client has read nothing although it resumes or has a full buffer. Call it
   * repeatedly: it compares with the last call.
   * @param late milliseconds for which this process was blocked; the client may have read meanwhile
   */
  stalledMs(now: number, late: number): number {
    const threshold = this.pending ? 0 : BUFFER.ephemeral;
    const taken = this.socket.bufferedAmount > threshold ? countBytesTaken(this.wire) : NaN;
    this.takenAt = taken === this.taken ? Math.min(now, this.takenAt + late) : now;
    this.taken = taken;
    return now - this.takenAt;
  }

  private get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Bytes that the operating system has not taken. */
  private get bufferedBytes(): number {
    return this.socket.bufferedAmount + this.writer.waitingBytes;
  }

  /** Stays synchronous while the client keeps up, so that frames sent later in the same turn follow these. */
  private async sendPaced(next: () => Outgoing | undefined): Promise<void> {
    for (let outgoing = next(); outgoing !== undefined && this.isOpen; outgoing = next()) {
      if (this.bufferedBytes < BUFFER.ephemeral) this.write(toFrame(outgoing));
      else await this.sendAndWait(outgoing);
    }
  }

  /** Resolves when the operating system has taken the frame and all before it, or the socket has closed. */
  private sendAndWait(outgoing: Outgoing): Promise<void> {
    const { payload } = toFrame(outgoing);
    this.writer.flush();
    return new Promise(resolve => this.socket.send(payload, { binary: false }, () => resolve()));
  }

  /**
   * Writes the encoded frame directly to the connection, because `ws` would encode the header again for each socket.
   * With compression it goes through `ws`, which compresses and orders the frames of each socket.
   */
  private write(frame: TextFrame): void {
    if (this.compressed) this.socket.send(frame.payload, { binary: false });
    else this.writer.write(frame.bytes);
  }

  private queue(pending: PendingFrames, frame: TextFrame, ephemeral: boolean): void {
    if (ephemeral && pending.bytes > BUFFER.ephemeral) return;
    pending.frames.push(frame);
    pending.bytes += frame.bytes.length;
    if (pending.bytes > BUFFER.limit) this.close('slowConsumer');
  }

  /**
   * Records the client's activity and counts a frame against its limits.
   * @param bytes of the frame; 0 for pings and pongs, which are short
   * @returns false when a limit is exceeded and the socket was closed
   */
  countFrame(bytes: number): boolean {
    this.lastActivityAt = performance.now();
    if ((this.frames?.take() ?? true) && this.limits.takeBytes(this.principalKey, bytes)) return true;
    this.close('rateLimited');
    return false;
  }

  /** Records a malformed frame. The tenth within a minute closes the socket. */
  recordFault(): void {
    const now = performance.now();
    this.faultedAt.push(now);
    if (this.faultedAt.length < FAULTS.max) return;
    const [first = now] = this.faultedAt.splice(0, 1);
    if (now - first <= FAULTS.withinMs) this.close('protocolError');
  }

  close(reason: CloseReason): void {
    this.closedAt ??= performance.now();
    this.writer.flush();
    this.socket.close(CLOSE[reason], CLOSE_TEXT[reason]);
  }
}
