import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { Statement } from '../../platform/database/sql.service.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { ErasedSubject, Slice } from '../../platform/erasure/erasure-step.registry.js';
import { EventColumnsService } from '../../platform/events/event-columns.service.js';

const COPIED = 'workspace_id, id, position, type, channel_id, conversation_id, contact_id, actor, payload_version';

/**
 * Copies events of the log. The row lock makes unsending and erasing wait, so that they find the copy; without it they
 * could scrub the log between the read and the commit of the copy.
 */
const copy = ({ payload }: EventColumnsService): Statement =>
  statement(`
    WITH event AS (
      SELECT event.*, listed.cursor
      FROM unnest($1::bigint[], $2::text[]) AS listed (position, cursor) JOIN event ON event.position = listed.position
      FOR SHARE OF event
    )
    INSERT INTO webhook_event (${COPIED}, payload, recorded_at, cursor)
    SELECT ${COPIED}, ${payload}, recorded_at, cursor FROM event
    ON CONFLICT (workspace_id, id) DO NOTHING`);

/** The columns that `event-columns.service.ts` reads are those of the log, so the table is aliased as `event`. */
const scrubUnsent = ({ unsentPayload }: EventColumnsService): Statement =>
  statement(`
    UPDATE webhook_event AS event SET payload = ${unsentPayload}
    WHERE workspace_id = $1 AND conversation_id = $2 AND payload @> $3::jsonb`);
const scrubSlice = ({ erasedPayload }: EventColumnsService, condition: string): Statement =>
  statement(`
    WITH slice AS (
      SELECT id, position FROM webhook_event
      WHERE workspace_id = $1 AND ${condition} AND position > $3::bigint ORDER BY position LIMIT $4
    ),
    scrubbed AS (
      UPDATE webhook_event AS event SET payload = ${erasedPayload}
      FROM slice WHERE event.workspace_id = $1 AND event.id = slice.id
    )
    SELECT count(*)::int AS scrubbed, max(position)::text AS last FROM slice`);
const DELETE_OLD = statement(`
  DELETE FROM webhook_event USING (
    SELECT workspace_id, id FROM webhook_event AS old
    WHERE recorded_at < $1 AND NOT EXISTS (
      SELECT FROM webhook_delivery WHERE workspace_id = old.workspace_id AND event_id = old.id
    )
    ORDER BY recorded_at LIMIT $2
  ) AS old
  WHERE webhook_event.workspace_id = old.workspace_id AND webhook_event.id = old.id`);

/** Copies of the events that webhooks selected. */
@Injectable()
export class EventCopiesRepository {
  private readonly copy: Statement;
  private readonly scrubUnsentStatement: Statement;
  private readonly scrubSliceStatements: Record<ErasedSubject['kind'], Statement>;

  constructor(
    private readonly sql: SqlService,
    columns: EventColumnsService,
  ) {
    this.copy = copy(columns);
    this.scrubUnsentStatement = scrubUnsent(columns);
    this.scrubSliceStatements = {
      conversation: scrubSlice(columns, 'conversation_id = $2'),
      contact: scrubSlice(columns, 'contact_id = $2 AND conversation_id IS NULL'),
    };
  }

  /** Copies events of the log, in a unit of work. @param cursorOf the cursor of the log after the event */
  async copyAll(events: readonly RecordedEvent[], cursorOf: (event: RecordedEvent) => string): Promise<void> {
    await this.sql.count(this.copy, [events.map(({ position }) => position), events.map(cursorOf)]);
  }

  async scrubUnsent(workspaceId: string, conversationId: string, part: object): Promise<void> {
    await this.sql.count(this.scrubUnsentStatement, [workspaceId, conversationId, JSON.stringify(part)]);
  }

  /** Scrubs at most `limit` copies of an erased subject after a position. */
  async scrubSlice({ workspaceId, id, kind }: ErasedSubject, after: string, limit: number): Promise<Slice> {
    const values = [workspaceId, id, after, limit];
    const slice = await this.sql.first<{ scrubbed: number; last: string }>(this.scrubSliceStatements[kind], values);
    const scrubbed = slice?.scrubbed ?? 0;
    return { scrubbed, after: slice && scrubbed === limit ? slice.last : null };
  }

  /** Deletes copies that no delivery refers to. @returns their number */
  deleteBefore(time: Date, limit: number): Promise<number> {
    return this.sql.count(DELETE_OLD, [time, limit]);
  }
}
