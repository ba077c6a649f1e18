import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { LaneName } from './delivery.js';

const IS_PENDING = `delivery.workspace_id = $1 AND delivery.webhook_id = $2 AND delivery.status = 'pending'`;
const IN_ORDER = statement(`
  SELECT delivery.id, delivery.number::text AS number, delivery.conversation_id AS "conversationId"
  FROM webhook_delivery AS delivery
  WHERE ${IS_PENDING} AND delivery.lane = $3 AND delivery.number > $4 ORDER BY delivery.number LIMIT $5`);
const DUE = statement(`
  SELECT delivery.id, delivery.number::text AS number, delivery.conversation_id AS "conversationId"
  FROM webhook_delivery AS delivery
  WHERE ${IS_PENDING} AND delivery.due_at <= $3 AND delivery.lane = 'retry' AND delivery.id <> ALL($4::uuid[])
  ORDER BY delivery.due_at LIMIT $5`);
const END = statement(`
  UPDATE webhook_delivery SET status = 'failed', due_at = NULL
  FROM (
    SELECT delivery.workspace_id, delivery.id
    FROM webhook_delivery AS delivery JOIN webhook
      ON webhook.workspace_id = delivery.workspace_id AND webhook.id = delivery.webhook_id
    WHERE ${IS_PENDING} AND delivery.number <= webhook.ended_number LIMIT $3 FOR UPDATE OF delivery
  ) AS ended
  WHERE webhook_delivery.workspace_id = ended.workspace_id AND webhook_delivery.id = ended.id`);
const DELETE = statement(`
  DELETE FROM webhook_delivery USING (
    SELECT workspace_id, id FROM webhook_delivery WHERE workspace_id = $1 AND webhook_id = $2 LIMIT $3
  ) AS slice
  WHERE webhook_delivery.workspace_id = slice.workspace_id AND webhook_delivery.id = slice.id`);
const DELETE_WEBHOOK = statement(`DELETE FROM webhook WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NOT NULL`);

/** A pending delivery without its content, which is read when the attempt begins. */
export interface PendingDelivery {
  id: string;
  /** A bigint as text. */
  number: string;
  conversationId: string | null;
}

interface WebhookKey {
  workspaceId: string;
  id: string;
}

/** The deliveries that an instance still has to make. */
@Injectable()
export class PendingDeliveriesRepository {
  constructor(private readonly sql: SqlService) {}

  /** First attempts after a number, in order. */
  findInOrder(
    { workspaceId, id }: WebhookKey,
    lane: Exclude<LaneName, 'retry'>,
    after: string,
    limit: number,
  ): Promise<PendingDelivery[]> {
    return this.sql.rows<PendingDelivery>(IN_ORDER, [workspaceId, id, lane, after, limit]);
  }

  /** Retries that are due, without those that are under way. */
  findDueRetries(
    { workspaceId, id }: WebhookKey,
    now: Date,
    underWay: readonly string[],
    limit: number,
  ): Promise<PendingDelivery[]> {
    return this.sql.rows<PendingDelivery>(DUE, [workspaceId, id, now, underWay, limit]);
  }

  /** Ends pending deliveries of a webhook from before it was disabled. @returns their number */
  endSlice({ workspaceId, id }: WebhookKey, limit: number): Promise<number> {
    return this.sql.count(END, [workspaceId, id, limit]);
  }

  /** Deletes deliveries of a webhook. @returns their number */
  deleteSlice({ workspaceId, id }: WebhookKey, limit: number): Promise<number> {
    return this.sql.count(DELETE, [workspaceId, id, limit]);
  }

  /** Deletes a webhook that is marked as deleted. */
  async deleteWebhook({ workspaceId, id }: WebhookKey): Promise<void> {
    await this.sql.count(DELETE_WEBHOOK, [workspaceId, id]);
  }
}
