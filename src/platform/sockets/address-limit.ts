import type { Duplex } from 'node:stream';
import { RateLimited } from '../../kernel/errors.js';

/** `Retry-After` of a refused client, in seconds. */
const RETRY_SECONDS = 10;

/** Limits the sockets of each network address. Counts open sockets and handshakes under way. */
export class AddressLimit {
  private readonly counts = new Map<string, number>();

  constructor(private readonly maxPerAddress: number) {}

  /** Counts the socket until its connection closes. @throws RateLimited when the address has too many sockets */
  admit(address: string, connection: Duplex): void {
    if (connection.destroyed) return;
    const count = this.counts.get(address) ?? 0;
    if (count >= this.maxPerAddress) throw new RateLimited({ retryAfter: RETRY_SECONDS });
    this.counts.set(address, count + 1);
    connection.once('close', () => this.release(address));
  }

  /** The number of addresses that have sockets. */
  get addresses(): number {
    return this.counts.size;
  }

  private release(address: string): void {
    const left = (this.counts.get(address) ?? 1) - 1;
    if (left > 0) this.counts.set(address, left);
    else this.counts.delete(address);
  }
}
