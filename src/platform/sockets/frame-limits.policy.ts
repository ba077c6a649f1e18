import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { RateLimit } from '../../config/rate-limits.js';
import { TokenBucket } from './token-bucket.js';

/**
 * Limits what clients send: frames per socket, and bytes per principal over all its sockets on this instance. With
 * `RATE_LIMITS=off` both are unlimited.
 */
@Injectable()
export class FrameLimitsPolicy {
  private readonly rates: { frames: RateLimit; frame_bytes: RateLimit } | null;
  /**
   * By principal, least recently used first. A bucket stays after the principal's last socket closed until it is full
   * again, so that reconnecting does not grant a new burst.
   */
  private readonly bytes = new Map<string, TokenBucket>();

  constructor(config: Config) {
    this.rates = config.rateLimits;
  }

  /** @returns the frame limit of one socket; null when unlimited */
  socketBucket(): TokenBucket | null {
    return this.rates && bucketOf(this.rates.frames);
  }

  /** Counts bytes that the principal sent. @returns false when it has sent too many */
  takeBytes(principalKey: string, bytes: number): boolean {
    if (!this.rates || bytes === 0) return true;
    const bucket = this.bytes.get(principalKey) ?? bucketOf(this.rates.frame_bytes);
    this.bytes.delete(principalKey);
    this.removeFull();
    this.bytes.set(principalKey, bucket);
    return bucket.take(bytes);
  }

  /** The number of principals with a bucket. */
  get trackedPrincipals(): number {
    return this.bytes.size;
  }

  private removeFull(): void {
    for (const [key, bucket] of this.bytes) {
      if (!bucket.isFull) return;
      this.bytes.delete(key);
    }
  }
}

/** Allows `points` at once and refills as many evenly over `seconds`. */
function bucketOf({ points, seconds }: RateLimit): TokenBucket {
  return new TokenBucket(points / seconds, points);
}
