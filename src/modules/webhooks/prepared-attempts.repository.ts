import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { BatchLoader, batchQuery, one } from '../../platform/database/batch-loader.js';
import { SqlService } from '../../platform/database/sql.service.js';
import { EventColumnsService } from '../../platform/events/event-columns.service.js';
import type { EventRow } from '../../platform/events/event-row.js';
import { toRecordedEvent } from '../../platform/events/event-row.js';
import type { Attempt } from './delivery.js';
import type { Webhook } from './webhook.js';

/**
 * Reads deliveries by their keys, and only then compares their status. With both conditions in one step, PostgreSQL would
 * choose the index of all pending deliveries while its statistics are from a time with few of them.
 */
const prepare = ({ payload }: EventColumnsService) =>
  batchQuery(
    { workspace_id: 'uuid', id: 'uuid' },
    from => `
      WITH delivery AS MATERIALIZED (
        SELECT lookup.key_index, listed.workspace_id, listed.webhook_id, listed.event_id, listed.status, listed.number,
               listed.attempts, listed.attempt_count
        FROM ${from}
        JOIN webhook_delivery AS listed ON listed.workspace_id = lookup.workspace_id AND listed.id = lookup.id
      )
      SELECT delivery.key_index, delivery.attempts, delivery.attempt_count AS "attemptCount", webhook.id AS "webhookId",
             webhook.url, webhook.channel_ids AS "channelIds", webhook.include_private AS "includePrivate",
             webhook.events AS events, webhook.secret, webhook.previous_secret AS "previousSecret",
             webhook.previous_secret_until AS "previousSecretUntil", webhook.failing_since AS "failingSince",
             event.cursor, event.id, event.type, event.workspace_id, event.channel_id, event.conversation_id,
             event.contact_id, event.actor, event.payload_version, NULL AS request_id, event.recorded_at,
             '0' AS xid, event.position::text AS position, ${payload} AS payload
      FROM delivery
      JOIN webhook ON webhook.workspace_id = delivery.workspace_id AND webhook.id = delivery.webhook_id
      JOIN webhook_event AS event ON event.workspace_id = delivery.workspace_id AND event.id = delivery.event_id
      WHERE (delivery.status = 'pending' AND webhook.enabled AND delivery.number > webhook.ended_number) IS TRUE`,
  );

type EndpointColumns = Pick<
  Webhook,
  | 'url'
  | 'events'
  | 'channelIds'
  | 'includePrivate'
  | 'secret'
  | 'previousSecret'
  | 'previousSecretUntil'
  | 'failingSince'
>;

interface Prepared extends EndpointColumns {
  webhookId: string;
  attempts: Attempt[];
  attemptCount: number;
  /** The position of the event in the log. */
  cursor: string;
}

/** All that an attempt needs: the delivery, the webhook's present settings, and the event without scrubbed content. */
export interface PreparedAttempt extends Prepared {
  event: RecordedEvent;
}

/** Reads a delivery at the moment of its attempt, so that nothing unsent or erased before is sent. */
@Injectable()
export class PreparedAttemptsRepository {
  private readonly prepared: BatchLoader<[workspaceId: string, id: string], Prepared & EventRow>;

  constructor(sql: SqlService, columns: EventColumnsService) {
    this.prepared = new BatchLoader(one(sql, ...prepare(columns)));
  }

  /** @returns undefined if it is no longer pending */
  async load(workspaceId: string, id: string): Promise<PreparedAttempt | undefined> {
    const row = await this.prepared.load(workspaceId, id);
    return row && { ...row, event: toRecordedEvent(row) };
  }
}
