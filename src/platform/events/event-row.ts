import { toWireTime } from '../../kernel/clock.js';
import type { Actor, DomainEvents, EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { isBeingErased } from '../erasure/erasure.repository.js';
import { scrubbedPayload } from './scrubbed-payload.js';

/** SQL of the payload. It hides erased content from the commit of the erasure on, even before the row is scrubbed. */
export const EVENT_PAYLOAD = `CASE WHEN ${isBeingErased('event.workspace_id', 'coalesce(event.conversation_id, event.contact_id)')}
  THEN ${scrubbedPayload('event')} ELSE event.payload END`;

/** All columns of an event but the payload. The log has no entity, because TypeORM does not support `xid8`. */
export const EVENT_METADATA = `id, type, workspace_id, channel_id, conversation_id, contact_id, actor,
  payload_version, request_id, recorded_at, xid::text AS xid, position::text AS position`;

export const EVENT_COLUMNS = `${EVENT_METADATA}, ${EVENT_PAYLOAD} AS payload`;

export interface EventRow {
  id: string;
  type: string;
  workspace_id: string;
  channel_id: string | null;
  conversation_id: string | null;
  contact_id: string | null;
  actor: Actor;
  payload: DomainEvents[EventType];
  payload_version: number;
  request_id: string | null;
  recorded_at: Date;
  xid: string;
  position: string;
}

export function toRecordedEvent(row: EventRow): RecordedEvent {
  return {
    id: row.id,
    type: row.type as EventType,
    workspaceId: row.workspace_id,
    channelId: row.channel_id,
    conversationId: row.conversation_id,
    contactId: row.contact_id,
    actor: row.actor,
    payload: row.payload,
    payloadVersion: row.payload_version,
    requestId: row.request_id,
    recordedAt: toWireTime(row.recorded_at),
    xid: row.xid,
    position: row.position,
  };
}
