/**
 * Carries messages to every living instance, this one included. It is an accelerator, never a truth: it may lose or
 * delay what it carries, and never throws at whoever publishes. What must not be lost is in the event log.
 *
 * Bodies are JSON values. Within one publisher the order of one subject is kept.
 */
export abstract class Fanout {
  /** `memory` or `redis`; shown by `/readyz`. */
  abstract readonly kind: string;

  abstract publish(subject: string, body: unknown): void;

  /**
   * @param isBody checks what comes from another process, which may be of another version or no instance at all; a body
   *   that fails is dropped
   * @returns a function that ends the subscription
   */
  abstract subscribe<Body>(
    subject: string,
    isBody: (body: unknown) => body is Body,
    listener: FanoutListener<Body>,
  ): () => void;

  /** Whether messages to other instances flow at present. */
  abstract healthy(): boolean;

  abstract close(): Promise<void>;
}

export type FanoutListener<Body = unknown> = (body: Body) => void;
