import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { RateLimit } from '../../config/rate-limits.js';
import { TokenBucket } from './token-bucket.js';

/**
 * What clients may send: so many frames per socket, and so many bytes per principal over all its sockets on this
 * instance. With `RATE_LIMITS=off` both are unlimited.
 */
@Injectable()
export class FrameLimits {
  private readonly rates: { frames: RateLimit; frame_bytes: RateLimit } | null;
  /**
   * By principal, least recently used first. A bucket outlives the sockets of its principal until it is full again, so
   * that connecting anew brings no new burst.
   */
  private readonly bytes = new Map<string, TokenBucket>();

  constructor(config: Config) {
    this.rates = config.rateLimits;
  }

  /** The frames of one socket; null where they are unlimited. */
  socketBucket(): TokenBucket | null {
    return this.rates && bucketOf(this.rates.frames);
  }

  /** Takes bytes from what the principal may send. @returns false when it has sent too many */
  takeBytes(principalKey: string, bytes: number): boolean {
    if (!this.rates || bytes === 0) return true;
    const bucket = this.bytes.get(principalKey) ?? bucketOf(this.rates.frame_bytes);
    this.bytes.delete(principalKey);
    this.forgetFull();
    this.bytes.set(principalKey, bucket);
    return bucket.take(bytes);
  }

  /** How many principals are remembered. */
  get remembered(): number {
    return this.bytes.size;
  }

  private forgetFull(): void {
    for (const [key, bucket] of this.bytes) {
      if (!bucket.isFull) return;
      this.bytes.delete(key);
    }
  }
}

/** All points at once, and as many again evenly over the seconds. */
function bucketOf({ points, seconds }: RateLimit): TokenBucket {
  return new TokenBucket(points / seconds, points);
}
