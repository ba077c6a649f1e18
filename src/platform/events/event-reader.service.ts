import { Injectable } from '@nestjs/common';
import { defineError } from '../../kernel/domain-error.js';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { CursorInvalid } from '../../kernel/errors.js';
import { EventTail } from './event-tail.js';
import { EventReadingRepository } from './event-reading.repository.js';
import type { LogCursor } from './log-cursor.js';
import { decodeLogCursor, encodeLogCursor } from './log-cursor.js';

export const CursorExpired = defineError(
  'gone',
  'cursor_expired',
  'The log does not reach back that far, or is another one now; read the present state, then go on from here.',
);

/** What is asked of the log: events of these types, of the workspace or of some of its conversations. */
export interface EventQuery {
  workspaceId: string;
  types: readonly EventType[];
  /** null: of the whole workspace. */
  conversationIds: readonly string[] | null;
}

/** Why a cursor cannot be resumed from: it is none, of another log, too old, or too much has happened since. */
export type ResumeFault = 'invalid' | 'epoch' | 'expired' | 'too_many';

/** So much is replayed; who has missed more reads the present state instead. */
export const REPLAY_LIMIT = 1_000;

/** Reads the log for those who have missed something. */
@Injectable()
export class EventReader {
  constructor(
    private readonly tail: EventTail,
    private readonly events: EventReadingRepository,
  ) {}

  /**
   * Everything that has been committed since the cursor, in order of position: for one who already hears what comes
   * from now on. What is there twice is there with the same id.
   */
  async missed(cursor: string, query: EventQuery): Promise<RecordedEvent[] | ResumeFault> {
    const place = decodeLogCursor(cursor);
    if (!place || place.range) return 'invalid';
    const fault = await this.faultOf(place);
    if (fault) return fault;
    const { workspaceId, types, conversationIds } = query;
    const found = await this.events.recent(workspaceId, place.since, types, conversationIds, REPLAY_LIMIT + 1);
    return found.length > REPLAY_LIMIT ? 'too_many' : found;
  }

  /**
   * A page of the workspace's events behind the cursor, or from the log's beginning. Read in closed ranges of settled
   * transactions, each in order of position: nothing can appear later in what has been passed.
   * @throws CursorInvalid, CursorExpired
   */
  async page(
    { workspaceId, types }: Omit<EventQuery, 'conversationIds'>,
    after: string | undefined,
    limit: number,
  ): Promise<{ events: RecordedEvent[]; cursor: string; hasMore: boolean }> {
    const place = await this.placeOf(after);
    const range = place.range ?? (await this.nextRange(place.since));
    if (!range) return { events: [], cursor: encodeLogCursor(place), hasMore: false };
    const found = await this.events.page(workspaceId, place.since, types, range, limit + 1);
    const events = found.slice(0, limit);
    const end = events.at(-1);
    const { identity, since } = place;
    const next: LogCursor =
      found.length > limit && end
        ? { identity, since, range: { ...range, position: end.position } }
        : { identity, since: range.horizon, range: null };
    return { events, cursor: encodeLogCursor(next), hasMore: found.length > limit };
  }

  private async placeOf(after: string | undefined): Promise<LogCursor> {
    if (after === undefined) return { identity: this.tail.identity, since: '0', range: null };
    const place = decodeLogCursor(after);
    if (!place) throw new CursorInvalid();
    // the log's beginning is wherever it begins now
    if (place.since !== '0' && (await this.faultOf(place))) throw new CursorExpired();
    return place;
  }

  private async nextRange(since: string): Promise<LogCursor['range']> {
    const { horizon, first, last } = await this.events.settledSince(since);
    if (horizon === since) return null;
    if (first === null || last === null) return { horizon, position: '0', last: '0' };
    return { horizon, position: (BigInt(first) - 1n).toString(), last };
  }

  private async faultOf({ identity, since }: LogCursor): Promise<'epoch' | 'expired' | null> {
    if (identity !== this.tail.identity) return 'epoch';
    const { kept, reached } = await this.events.standing(since);
    if (!reached) return 'epoch';
    return kept ? null : 'expired';
  }
}
