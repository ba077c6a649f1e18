import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../kernel/page.js';
import { decodeIdCursor, encodeCursor, toPage } from '../../kernel/page.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Delivery, DeliveryStatus } from './delivery.js';
import { hasEnded, statusSql } from './delivery-status.js';
import type { Webhook } from './webhook.js';

const LIST = 'webhook-deliveries';

const HAS_ENDED = hasEnded('$3::bigint');
const STATUS = statusSql('$3::bigint');
const IS_OF_WEBHOOK = 'delivery.workspace_id = $1 AND delivery.webhook_id = $2';
const COLUMNS = `delivery.id, delivery.event_id AS "eventId", delivery.type,
  delivery.conversation_id AS "conversationId", ${STATUS} AS status, delivery.attempts,
  CASE WHEN NOT ${HAS_ENDED} THEN delivery.due_at END AS "dueAt", delivery.created_at AS "createdAt"`;
const PAGE = statement(`
  SELECT ${COLUMNS} FROM webhook_delivery AS delivery
  WHERE ${IS_OF_WEBHOOK} AND ($4::uuid IS NULL OR delivery.id < $4)
    AND ($5::text IS NULL OR ${STATUS} = $5) AND ($6::text IS NULL OR delivery.type = $6)
  ORDER BY delivery.id DESC LIMIT $7`);
const FIND = statement(`
  SELECT ${COLUMNS} FROM webhook_delivery AS delivery WHERE ${IS_OF_WEBHOOK} AND delivery.id = $4`);
/**
 * Queues the delivery as a retry, after the number at which the webhook was last disabled. A first attempt that waits for
 * its turn keeps its place.
 */
const RETRY = statement(`
  UPDATE webhook_delivery AS delivery SET status = 'pending', lane = 'retry', due_at = $5, number = DEFAULT
  WHERE ${IS_OF_WEBHOOK} AND delivery.id = $4
    AND (delivery.status <> 'pending' OR delivery.lane = 'retry' OR ${HAS_ENDED})`);
const SET_DUE = statement(`
  UPDATE webhook SET due_at = $3 WHERE workspace_id = $1 AND id = $2 AND (due_at IS NULL OR due_at > $3)`);
const DELETE_OLD = statement(`
  DELETE FROM webhook_delivery USING (
    SELECT workspace_id, id FROM webhook_delivery WHERE created_at < $1 AND status <> 'pending'
    ORDER BY created_at LIMIT $2
  ) AS old
  WHERE webhook_delivery.workspace_id = old.workspace_id AND webhook_delivery.id = old.id`);

export interface DeliveriesQuery extends PageRequest {
  status?: DeliveryStatus | undefined;
  event?: string | undefined;
}

/** Deliveries of a webhook, which the caller must be allowed to see. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly sql: SqlService) {}

  /** Newest first. @throws CursorInvalid */
  async findPage(webhook: Webhook, { limit, cursor, status, event }: DeliveriesQuery): Promise<Page<Delivery>> {
    const before = cursor === undefined ? null : decodeIdCursor(LIST, cursor);
    const values = [...keyOf(webhook), before, status ?? null, event ?? null, limit + 1];
    return toPage(await this.sql.rows<Delivery>(PAGE, values), limit, ({ id }) => encodeCursor(LIST, [id]));
  }

  find(webhook: Webhook, id: string): Promise<Delivery | undefined> {
    return this.sql.first<Delivery>(FIND, [...keyOf(webhook), id]);
  }

  /** Makes a delivery due now. The caller must have locked the webhook. */
  async retry(webhook: Webhook, id: string, now: Date): Promise<void> {
    await this.sql.count(RETRY, [...keyOf(webhook), id, now]);
    await this.sql.count(SET_DUE, [webhook.workspaceId, webhook.id, now]);
  }

  /** @returns the number of deleted deliveries */
  deleteBefore(time: Date, limit: number): Promise<number> {
    return this.sql.count(DELETE_OLD, [time, limit]);
  }
}

function keyOf({ workspaceId, id, endedNumber }: Webhook): unknown[] {
  return [workspaceId, id, endedNumber];
}
