import { Injectable } from '@nestjs/common';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { toWireTime } from '../../kernel/clock.js';
import type { NewEvent, RecordedEvent } from '../../kernel/domain-event.js';
import type { Statement } from '../database/sql.service.js';
import { SqlService, statement } from '../database/sql.service.js';
import type { ErasedSubject, Slice } from '../erasure/erasure-step.registry.js';
import type { EventRow } from './event-row.js';
import { EventColumnsService } from './event-columns.service.js';

const APPEND = statement(`
  WITH previous AS (
    SELECT id, xid::text AS xid FROM event WHERE conversation_id = $4 ORDER BY position DESC LIMIT 1
  )
  INSERT INTO event (id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version,
                     request_id, address, user_agent)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  RETURNING xid::text AS xid, position::text AS position, recorded_at,
            (SELECT id FROM previous) AS previous_id, (SELECT xid FROM previous) AS previous_xid`);

/** SQL that inserts events from a CTE of a larger statement. @param source the CTE, with the columns of the event */
export function appendFrom(source: string, payloadVersion: number): string {
  return `
    INSERT INTO event (id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version,
                       request_id)
    SELECT event_id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, ${payloadVersion},
           request_id
    FROM ${source}
    RETURNING id, xid::text AS xid, position::text AS position, recorded_at`;
}

/**
 * Deletes a batch of the oldest events that every event consumer has read, and records the highest transaction number
 * among them. Positions and times ascend together, except for transactions that waited for a lock.
 */
const PRUNE = statement(`
  WITH batch AS (SELECT position, recorded_at FROM event ORDER BY position LIMIT $2),
  deleted AS (
    DELETE FROM event USING batch
    WHERE event.position = batch.position AND batch.recorded_at < $1
      AND NOT EXISTS (SELECT FROM event_reader WHERE event_reader.since <= event.xid)
    RETURNING event.xid
  ),
  recorded AS (
    UPDATE event_log SET pruned_xid = GREATEST(pruned_xid, (SELECT max(xid) FROM deleted))
    WHERE EXISTS (SELECT 1 FROM deleted)
  )
  SELECT count(*)::int AS deleted FROM deleted`);

/** Removes unsent content from the events that contain it, and keeps the events. */
const scrubUnsent = ({ unsentPayload }: EventColumnsService): Statement =>
  statement(`
    UPDATE event SET payload = ${unsentPayload}
    WHERE workspace_id = $1 AND conversation_id = $2 AND payload @> $3::jsonb`);

/** Scrubs a slice of a subject's events after a position, in order of position. */
const scrubSlice = ({ erasedPayload }: EventColumnsService, condition: string): Statement =>
  statement(`
    WITH slice AS (
      SELECT position FROM event WHERE ${condition} AND position > $3::bigint ORDER BY position LIMIT $4
    ),
    scrubbed AS (
      UPDATE event SET payload = ${erasedPayload}
      FROM slice WHERE event.position = slice.position AND event.workspace_id = $1
    )
    SELECT count(*)::int AS scrubbed, max(position)::text AS last FROM slice`);

/** The values that the database assigns to an appended event. */
export type WrittenRow = Pick<EventRow, 'xid' | 'position' | 'recorded_at'>;

interface AppendedRow extends WrittenRow {
  previous_id: string | null;
  previous_xid: string | null;
}

/** An event that names its predecessor in the conversation, so that a receiver can tell whether it missed one. */
export interface AppendedEvent extends RecordedEvent {
  previous: Pick<RecordedEvent, 'id' | 'xid'> | null;
}

/** The metadata that the log stores with an event. */
export interface EventStamp {
  payloadVersion: number;
  requestId: string | null;
  /** Stored for audited events only; null otherwise. */
  origin: ClientOrigin | null;
}

/** Writes, scrubs and deletes events of the log. */
@Injectable()
export class EventRepository {
  private readonly scrubUnsentStatement: Statement;
  private readonly scrubSliceStatements: Record<ErasedSubject['kind'], Statement>;

  constructor(
    private readonly sql: SqlService,
    columns: EventColumnsService,
  ) {
    this.scrubUnsentStatement = scrubUnsent(columns);
    this.scrubSliceStatements = {
      conversation: scrubSlice(columns, 'conversation_id = $2'),
      contact: scrubSlice(columns, 'contact_id = $2 AND conversation_id IS NULL'),
    };
  }

  /** Assigns the event's position. Call it while the row that orders such events is locked. */
  async append(id: string, event: NewEvent, stamp: EventStamp): Promise<AppendedEvent> {
    const scope = scopeColumnsOf(event);
    const row = await this.sql.first<AppendedRow>(APPEND, [
      id,
      scope.workspaceId,
      scope.channelId,
      scope.conversationId,
      scope.contactId,
      event.type,
      JSON.stringify(event.actor),
      JSON.stringify(event.payload),
      stamp.payloadVersion,
      stamp.requestId,
      stamp.origin?.address ?? null,
      stamp.origin?.userAgent ?? null,
    ]);
    if (!row) throw new Error('the event log returned no row');
    const { previous_id, previous_xid } = row;
    const previous = previous_id && previous_xid ? { id: previous_id, xid: previous_xid } : null;
    return toAppendedEvent(id, event, stamp, row, previous);
  }

  /** Deletes the oldest events recorded before a time. @returns their number; below `limit` when none are left */
  async prune(before: Date, limit: number): Promise<number> {
    return (await this.sql.first<{ deleted: number }>(PRUNE, [before, limit]))?.deleted ?? 0;
  }

  /** Scrubs at most `limit` events of an erased subject after a position. */
  async scrubSlice({ workspaceId, id, kind }: ErasedSubject, after: string, limit: number): Promise<Slice> {
    const slice = await this.sql.first<{ scrubbed: number; last: string }>(this.scrubSliceStatements[kind], [
      workspaceId,
      id,
      after,
      limit,
    ]);
    const scrubbed = slice?.scrubbed ?? 0;
    return { scrubbed, after: slice && scrubbed === limit ? slice.last : null };
  }

  async scrubUnsent(workspaceId: string, conversationId: string, part: object): Promise<void> {
    await this.sql.count(this.scrubUnsentStatement, [workspaceId, conversationId, JSON.stringify(part)]);
  }
}

/** @param previous its predecessor in the conversation */
export function toAppendedEvent(
  id: string,
  event: NewEvent,
  { payloadVersion, requestId }: Pick<EventStamp, 'payloadVersion' | 'requestId'>,
  { xid, position, recorded_at }: WrittenRow,
  previous: AppendedEvent['previous'],
): AppendedEvent {
  const { type, actor, payload } = event;
  const recordedAt = toWireTime(recorded_at);
  return {
    id,
    type,
    ...scopeColumnsOf(event),
    actor,
    payload,
    payloadVersion,
    requestId,
    recordedAt,
    xid,
    position,
    previous,
  };
}

function scopeColumnsOf({ workspaceId, channelId = null, conversationId = null, contactId = null }: NewEvent) {
  return { workspaceId, channelId, conversationId, contactId };
}
