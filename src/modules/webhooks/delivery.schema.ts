import { Choice, Flag, Id, Integer, NestedList, Text, Time } from '../../platform/schemas/fields.js';
import { PageQuery } from '../../platform/schemas/page.schema.js';
import type { Attempt, AttemptError, DeliveryRecord, DeliveryStatus } from './delivery.js';
import { ATTEMPT_ERRORS, DELIVERY_STATUSES, MAX_ATTEMPTS_KEPT } from './delivery.js';
import type { TestResult } from './webhook-tests.service.js';

const optional = true;
const nullable = true;
const EVENT_TYPE = { max: 100, example: 'message.created' };
const HTTP_STATUS = { nullable, min: 100, max: 999, description: 'HTTP status of the answer; null without an answer.' };

export class ListDeliveriesQuery extends PageQuery {
  @Choice(DELIVERY_STATUSES, { optional, description: 'Only deliveries in this status.' }) status?: DeliveryStatus;
  @Text({ optional, ...EVENT_TYPE, description: 'Only deliveries of this type of event.' }) event?: string;
}

export class DeliveryAttemptView implements Attempt {
  @Time() at!: string;
  @Integer(HTTP_STATUS) status!: number | null;
  @Integer({ description: 'In milliseconds.' }) latency_ms!: number;
  @Choice(ATTEMPT_ERRORS, {
    optional,
    description:
      '`endpoint_unreachable`: no connection, no answer within 15 seconds, or an address that may not be called. `not_selected`: the present settings of the webhook show nothing of the event. `internal_error`: the service could not make the body.',
  })
  error?: AttemptError;
}

export class WebhookDeliveryView implements DeliveryRecord {
  @Id() id!: string;
  @Id({ description: 'The `webhook-id` of every attempt.' }) event_id!: string;
  @Text(EVENT_TYPE) event!: string;
  @Id({ nullable }) conversation_id!: string | null;
  @Choice(DELIVERY_STATUSES) status!: DeliveryStatus;
  @NestedList(() => DeliveryAttemptView, { maxItems: MAX_ATTEMPTS_KEPT, description: 'Oldest first.' })
  attempts!: DeliveryAttemptView[];
  @Time({ nullable, description: 'Null unless the delivery is pending.' }) next_attempt_at!: string | null;
  @Time() created_at!: string;
}

export class ReplayBody {
  @Time({ example: '2026-01-31T09:30:00.000000Z', description: 'The first time, inclusive.' }) from!: string;
  @Time({ example: '2026-01-31T10:30:00.000000Z', description: 'The last time, exclusive.' }) to!: string;
  @Flag({ optional, description: 'Only events that were never delivered to this webhook and failed.' })
  only_failed?: boolean;
}

export class ReplayView {
  @Id() replay_id!: string;
  @Integer({ description: 'Number of events that are queued.' }) queued!: number;
}

export class WebhookTestView implements TestResult {
  @Flag({ description: 'True after a 2xx status.' }) ok!: boolean;
  @Integer(HTTP_STATUS) status!: number | null;
  @Integer({ description: 'In milliseconds.' }) latency_ms!: number;
  @Text({ optional, min: 0, max: 1024, example: 'ok', description: 'The first KiB of the answer.' }) body?: string;
  @Choice(['endpoint_unreachable'], { optional }) error?: 'endpoint_unreachable';
}
