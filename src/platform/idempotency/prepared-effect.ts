import { SetMetadata } from '@nestjs/common';

export const PREPARES_EFFECT = 'prepares effect';

/**
 * The part of a handler's work that runs in the transaction of its Idempotency-Key. What is slow, such as hashing a
 * password, the handler does before it returns this. A handler that returns one declares `@PreparesEffect()`.
 */
export class PreparedEffect<T> {
  /** @param run may be called again after a deadlock, and not at all where another request was first */
  constructor(readonly run: () => Promise<T>) {}
}

export function PreparesEffect(): MethodDecorator {
  return SetMetadata(PREPARES_EFFECT, true);
}
