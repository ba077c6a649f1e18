/**
 * Sends messages to every running instance, including this one. Delivery is best effort: messages may be lost or
 * delayed, and data that must not be lost is in the event log. Publishing never throws.
 *
 * Bodies are JSON values. The messages of one publisher on one subject stay in order.
 */
export abstract class Fanout {
  /** `memory` or `redis`; determines `bus` in `/readyz`. */
  abstract readonly kind: string;

  abstract publish(subject: string, body: unknown): void;

  /**
   * @param isBody checks bodies from other processes, which may run another version or be no instance at all; a body
   *   that fails is dropped
   * @returns a function that ends the subscription
   */
  abstract subscribe<Body>(
    subject: string,
    isBody: (body: unknown) => body is Body,
    listener: FanoutListener<Body>,
  ): () => void;

  /** Returns true while messages reach other instances. */
  abstract healthy(): boolean;

  abstract close(): Promise<void>;
}

/** @param isOwn true for a message that this process published; another sender may have forged any other */
export type FanoutListener<Body = unknown> = (body: Body, isOwn: boolean) => void;
