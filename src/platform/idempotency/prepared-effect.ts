import { SetMetadata } from '@nestjs/common';

export const PREPARES_EFFECT = 'prepares effect';

/**
 * The part of a handler's work that runs in the transaction of the Idempotency-Key. The handler does slow work, such as
 * password hashing, before it returns this. Such a handler must be marked with `@PreparesEffect()`.
 */
export class PreparedEffect<T> {
  /** @param run may be called again after a deadlock, or not at all when another request was first */
  constructor(readonly run: () => Promise<T>) {}
}

export function PreparesEffect(): MethodDecorator {
  return SetMetadata(PREPARES_EFFECT, true);
}
