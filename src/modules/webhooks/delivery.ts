import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * `live`: first attempts, in order per conversation. `replay`: first attempts of replayed events, likewise. `retry`:
 * further attempts, when they are due. No lane waits for another.
 */
export const LANES = ['live', 'replay', 'retry'] as const;
export type LaneName = (typeof LANES)[number];

/**
 * Why an attempt failed without an answer. `endpoint_unreachable`: no connection, no answer in time, or a refused
 * address. `not_selected`: the webhook's present settings show nothing of the event. `internal_error`: the service could
 * not render the event.
 */
export const ATTEMPT_ERRORS = ['endpoint_unreachable', 'not_selected', 'internal_error'] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** One attempt, in wire format. */
export interface Attempt {
  at: string;
  /** HTTP status; null without an answer. */
  status: number | null;
  latency_ms: number;
  error?: AttemptError;
}

export interface Delivery {
  id: string;
  eventId: string;
  type: string;
  conversationId: string | null;
  status: DeliveryStatus;
  attempts: Attempt[];
  dueAt: Date | null;
  createdAt: Date;
}

/** Delivery in wire format. */
export interface DeliveryRecord {
  id: string;
  event_id: string;
  event: string;
  conversation_id: string | null;
  status: DeliveryStatus;
  attempts: Attempt[];
  next_attempt_at: string | null;
  created_at: string;
}

/** Attempts that a delivery keeps, the newest ones. Only a delivery that is retried by hand has more. */
export const MAX_ATTEMPTS_KEPT = 50;

export function toDeliveryRecord(delivery: Delivery): DeliveryRecord {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event: delivery.type,
    conversation_id: delivery.conversationId,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: toWireTimeOrNull(delivery.dueAt),
    created_at: toWireTime(delivery.createdAt),
  };
}
