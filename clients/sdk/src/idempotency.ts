import type { VisitorMessageBody } from './bodies.js';
import { uuid } from './uuid.js';

/** The message with the id by which the service knows it again. */
export function withMessageId<M extends VisitorMessageBody>(message: M): M & { client_message_id: string } {
  return { ...message, client_message_id: message.client_message_id ?? uuid() };
}

/** The header under which the service makes one effect of a creation. */
export function idempotencyHeader(key: string | undefined): Record<string, string> | undefined {
  return key === undefined ? undefined : { 'Idempotency-Key': key };
}
