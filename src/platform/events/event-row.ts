import { toWireTime } from '../../kernel/clock.js';
import type { Actor, DomainEvents, EventType, RecordedEvent } from '../../kernel/domain-event.js';

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
