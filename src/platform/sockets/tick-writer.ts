import type { Duplex } from 'node:stream';

/** More than this is handed on at once, so that what waits is what the network has refused, not what has piled up here. */
const ENOUGH_BYTES = 64 * 1024;

/**
 * Gathers what is written to a connection within one turn of the event loop into one write: under load, when the turn
 * brings many frames, a tenth of the system calls; when it brings one, the same one.
 */
export class TickWriter {
  private corked: Duplex[] = [];

  write(wire: Duplex, bytes: Buffer): void {
    if (wire.writableCorked === 0) this.cork(wire);
    wire.write(bytes);
    if (wire.writableLength < ENOUGH_BYTES) return;
    wire.uncork();
  }

  private cork(wire: Duplex): void {
    wire.cork();
    if (this.corked.push(wire) === 1) setImmediate(() => this.flush());
  }

  /** One that was handed on early may be here twice: uncorking what is not corked does nothing. */
  private flush(): void {
    const { corked: gathered } = this;
    this.corked = [];
    for (const wire of gathered) wire.uncork();
  }
}
