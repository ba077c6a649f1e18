import type { VisitorMessageBody } from './bodies.js';
import { uuid } from './uuid.js';

/** Adds a `client_message_id`, by which the service recognises a repeated message. */
export function withMessageId<M extends VisitorMessageBody>(message: M): M & { client_message_id: string } {
  return { ...message, client_message_id: message.client_message_id ?? uuid() };
}

/** Returns the `Idempotency-Key` header, or undefined without a key. */
export function idempotencyHeader(key: string | undefined): Record<string, string> | undefined {
  return key === undefined ? undefined : { 'Idempotency-Key': key };
}

/** Options of a POST that the SDK repeats when there is no response. Its repetitions have one effect. */
export function repeatableOnce(): { headers: Record<string, string> | undefined; repeatable: true } {
  return { headers: idempotencyHeader(uuid()), repeatable: true };
}
