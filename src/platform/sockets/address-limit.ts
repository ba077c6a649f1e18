import type { Duplex } from 'node:stream';
import { RateLimited } from '../../kernel/errors.js';

/** Seconds after which a client that was refused may try again. */
const AGAIN_SECONDS = 10;

/** Counts the sockets of each network address: those that are open, and those whose handshake is under way. */
export class AddressLimit {
  private readonly counts = new Map<string, number>();

  constructor(private readonly maxPerAddress: number) {}

  /** Counts the socket until its connection has closed. @throws RateLimited when its address has too many */
  admit(address: string, connection: Duplex): void {
    if (connection.destroyed) return;
    const count = this.counts.get(address) ?? 0;
    if (count >= this.maxPerAddress) throw new RateLimited({ retryAfter: AGAIN_SECONDS });
    this.counts.set(address, count + 1);
    connection.once('close', () => this.release(address));
  }

  /** How many addresses have sockets. */
  get addresses(): number {
    return this.counts.size;
  }

  private release(address: string): void {
    const left = (this.counts.get(address) ?? 1) - 1;
    if (left > 0) this.counts.set(address, left);
    else this.counts.delete(address);
  }
}
