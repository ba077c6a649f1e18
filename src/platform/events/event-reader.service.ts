import { Injectable } from '@nestjs/common';
import { defineError } from '../../kernel/domain-error.js';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { CursorInvalid } from '../../kernel/errors.js';
import { EventTail } from './event-tail.js';
import type { EventRef } from './event-reading.repository.js';
import { EventReadingRepository, PAGE_BYTES } from './event-reading.repository.js';
import type { LogCursor } from './log-cursor.js';
import { decodeLogCursor, encodeLogCursor, NO_EVENT } from './log-cursor.js';
import type { NewestEvent } from './watermark.js';
import { isProved, markOf, newerOf } from './watermark.js';

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
export const REPLAY_LIMIT = { events: 1_000, bytes: 8 * 1024 * 1024 } as const;

/** Names the events of one page, in order. */
export type EventPage = readonly string[];

/** What a resuming client has missed. */
export interface MissedPages {
  /** The first events, of some 64 KiB. */
  events: RecordedEvent[];
  /** What comes after them, yet to be read. */
  pages: EventPage[];
  /** The cursor that lies behind all of it. */
  to: string;
}

/** Reads the log for those who have missed something. */
@Injectable()
export class EventReaderService {
  constructor(
    private readonly tail: EventTail,
    private readonly events: EventReadingRepository,
  ) {}

  /**
   * Everything that has been committed since the cursor, in order of position: for one who already hears what comes
   * from now on. What is there twice is there with the same id. Only the first of it is read into memory.
   */
  async missed(cursor: string, query: EventQuery): Promise<MissedPages | ResumeFault> {
    const here = this.tail.position;
    const place = decodeLogCursor(cursor);
    if (!place) return 'invalid';
    const fault = await this.faultOf(place);
    if (fault) return fault;
    const { workspaceId, types, conversationIds } = query;
    const limit = REPLAY_LIMIT.events + 1;
    const { events, rest, bytes } = await this.events.recent(workspaceId, place.since, types, conversationIds, limit);
    if (events.length + rest.length >= limit || bytes > REPLAY_LIMIT.bytes) return 'too_many';
    const newest = newestAmong([...events, ...rest], here.newest);
    return { events, pages: pagesOf(rest), to: encodeLogCursor({ ...here, newest }) };
  }

  /** Reads a page of what was missed. @returns null when retention has removed some of it meanwhile */
  async missedPage(page: EventPage): Promise<RecordedEvent[] | null> {
    const events = await this.events.findByPosition(page);
    return events.length === page.length ? events : null;
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
    const place = await this.parseCursor(after);
    const open = place.range ? place : await this.openRange(place);
    if (!open?.range) return { events: [], cursor: encodeLogCursor(place), hasMore: false };
    const { identity, since, newest, range } = open;
    const found = await this.events.page(workspaceId, since, types, range, limit + 1);
    const events = found.slice(0, limit);
    const end = events.at(-1);
    const next: LogCursor =
      found.length > limit && end
        ? { identity, since, newest, range: { ...range, position: end.position } }
        : { identity, since: range.horizon, newest, range: null };
    return { events, cursor: encodeLogCursor(next), hasMore: found.length > limit };
  }

  private async parseCursor(after: string | undefined): Promise<LogCursor> {
    if (after === undefined) return { identity: this.tail.identity, since: '0', newest: NO_EVENT, range: null };
    const place = decodeLogCursor(after);
    if (!place) throw new CursorInvalid();
    if (await this.faultOf(place)) throw new CursorExpired();
    return place;
  }

  /** The next range behind a place that lies between two; null where nothing has settled since. */
  private async openRange(place: LogCursor): Promise<LogCursor | null> {
    const settled = await this.events.settledSince(place.since);
    if (!settled) return null;
    const { horizon, newest, first, last } = settled;
    return { ...place, newest, range: { horizon, position: (BigInt(first) - 1n).toString(), last } };
  }

  private async faultOf({ identity, since, newest, range }: LogCursor): Promise<'epoch' | 'expired' | null> {
    // the log's beginning is wherever it begins now
    if (since === '0' && range === null && newest?.position === NO_EVENT.position) return null;
    if (identity !== this.tail.identity || newest === null) return 'epoch';
    const { pruned, next, found } = await this.events.cursorState(newest.position);
    const from = BigInt(since);
    if (from > next) return 'epoch';
    if (from <= pruned && since !== '0') return 'expired';
    return isProved(newest, from, found, pruned) ? null : 'epoch';
  }
}

/** The newest event that one has received who receives these, too. */
function newestAmong(
  events: readonly Pick<RecordedEvent, 'id' | 'xid' | 'position'>[],
  newest: NewestEvent,
): NewestEvent {
  const received = events.map(({ id, xid, position }) => ({ xid: BigInt(xid), position, mark: markOf(id) }));
  return received.reduce(newerOf, newest);
}

/** Each page has at least one event, and ends with the one that fills it. */
function pagesOf(events: readonly EventRef[]): EventPage[] {
  const pages: EventRef[][] = [];
  let room = 0;
  for (const event of events) {
    if (room <= 0) {
      pages.push([]);
      room = PAGE_BYTES;
    }
    pages.at(-1)?.push(event);
    room -= event.bytes;
  }
  return pages.map(page => page.map(({ position }) => position));
}
