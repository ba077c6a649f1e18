import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { newId } from '../../kernel/ids.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { LaneName } from './delivery.js';
import type { EndpointSettings, Webhook } from './webhook.js';

const COLUMNS = `workspace_id AS "workspaceId", id, events, channel_ids AS "channelIds",
  include_private AS "includePrivate", enabled, created_at AS "createdAt", enabled_at AS "enabledAt",
  disabled_at AS "disabledAt"`;
/** The lock orders this transaction and one that disables the webhook: its last delivery is then known. */
const LOCK = statement(`
  SELECT ${COLUMNS} FROM webhook WHERE workspace_id = ANY($1::uuid[]) AND (enabled OR disabled_at IS NOT NULL)
    AND deleted_at IS NULL
  ORDER BY workspace_id, id FOR NO KEY UPDATE`);
const INSERT = statement(`
  INSERT INTO webhook_delivery (
    workspace_id, webhook_id, id, event_id, type, conversation_id, status, lane, due_at, created_at)
  SELECT workspace_id, webhook_id, id, event_id, type, conversation_id, status, $8,
         CASE status WHEN 'pending' THEN $9::timestamptz END, $9
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::text[]) WITH ORDINALITY
    AS made (workspace_id, webhook_id, id, event_id, type, conversation_id, status, place)
  ORDER BY place`);
const SET_DUE = statement(`
  UPDATE webhook SET due_at = $3
  FROM unnest($1::uuid[], $2::uuid[]) AS endpoint (workspace_id, id)
  WHERE webhook.workspace_id = endpoint.workspace_id AND webhook.id = endpoint.id
    AND (due_at IS NULL OR due_at > $3)`);

/** A webhook that is enabled, or was. */
export interface Endpoint
  extends
    EndpointSettings,
    Pick<Webhook, 'workspaceId' | 'id' | 'enabled' | 'createdAt' | 'enabledAt' | 'disabledAt'> {}

/** An event that an endpoint receives; `failed` if the endpoint was disabled after it. */
export interface SelectedEvent {
  endpoint: Endpoint;
  event: RecordedEvent;
  status: 'pending' | 'failed';
}

/** Queues deliveries. All of it belongs to the caller's unit of work. */
@Injectable()
export class DeliveryQueueRepository {
  constructor(private readonly sql: SqlService) {}

  /** Finds the webhooks of the workspaces that are enabled, or were, and locks them until the unit of work ends. */
  lockEndpoints(workspaceIds: readonly string[]): Promise<Endpoint[]> {
    return this.sql.rows<Endpoint>(LOCK, [workspaceIds]);
  }

  /**
   * Inserts deliveries in this order and wakes the endpoints of pending ones. The events must have been copied, and the
   * endpoints locked.
   */
  async insertAll(selected: readonly SelectedEvent[], lane: LaneName, now: Date): Promise<void> {
    await this.sql.count(INSERT, [
      selected.map(({ endpoint }) => endpoint.workspaceId),
      selected.map(({ endpoint }) => endpoint.id),
      selected.map(() => newId()),
      selected.map(({ event }) => event.id),
      selected.map(({ event }) => event.type),
      selected.map(({ event }) => event.conversationId),
      selected.map(({ status }) => status),
      lane,
      now,
    ]);
    const pending = selected.filter(({ status }) => status === 'pending');
    const endpoints = [...new Set(pending.map(({ endpoint }) => endpoint))];
    await this.sql.count(SET_DUE, [endpoints.map(one => one.workspaceId), endpoints.map(one => one.id), now]);
  }
}
