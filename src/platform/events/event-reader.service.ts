import { Injectable } from '@nestjs/common';
import { defineError } from '../../kernel/domain-error.js';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { CursorInvalid } from '../../kernel/errors.js';
import { EventTailJob } from './event-tail.job.js';
import type { EventRef } from './event-reading.repository.js';
import { EventReadingRepository, PAGE_BYTES } from './event-reading.repository.js';
import type { LogCursor } from './log-cursor.js';
import { decodeLogCursor, encodeLogCursor, NO_EVENT } from './log-cursor.js';
import type { NewestEvent } from './watermark.js';
import { isProved, markOf, newerOf } from './watermark.js';

export const CursorExpired = defineError(
  'gone',
  'cursor_expired',
  'The cursor is older than the event log or of another log. Read the current state, then start without a cursor.',
);

/** Selects events by type, of a workspace or of some of its conversations. */
export interface EventQuery {
  workspaceId: string;
  types: readonly EventType[];
  /** null selects the whole workspace. */
  conversationIds: readonly string[] | null;
}

/** Why a client cannot resume: the cursor is invalid, of another log or too old, or too many events were missed. */
export type ResumeFault = 'invalid' | 'epoch' | 'expired' | 'too_many';

/** Bounds of a replay. A client that missed more reads the current state instead. */
const REPLAY_LIMIT = { events: 1_000, bytes: 8 * 1024 * 1024 } as const;

/** The positions of one page's events, in order. */
export type EventPage = readonly string[];

/** The events that a resuming client has missed. */
export interface MissedPages {
  /** The first events, about 64 KiB. */
  events: RecordedEvent[];
  /** The following pages, which are not read yet. */
  pages: EventPage[];
  /** The cursor after all of them. */
  to: string;
}

/** Reads the log for resuming sockets and for backends that page through it. */
@Injectable()
export class EventReaderService {
  constructor(
    private readonly tail: EventTailJob,
    private readonly events: EventReadingRepository,
  ) {}

  /**
   * Finds all events committed since the cursor, in order of position. Only the first page is read into memory.
   *
   * The caller must already be subscribed to live events, so that none is lost in between; duplicates have the same id.
   */
  async findMissed(cursor: string, query: EventQuery): Promise<MissedPages | ResumeFault> {
    const current = this.tail.position;
    const from = decodeLogCursor(cursor);
    if (!from) return 'invalid';
    const fault = await this.checkCursor(from);
    if (fault) return fault;
    const { workspaceId, types, conversationIds } = query;
    const limit = REPLAY_LIMIT.events + 1;
    const { events, rest, bytes } = await this.events.recent(workspaceId, from.since, types, conversationIds, limit);
    if (events.length + rest.length >= limit || bytes > REPLAY_LIMIT.bytes) return 'too_many';
    const newest = newestAmong([...events, ...rest], current.newest);
    return { events, pages: paginate(rest), to: encodeLogCursor({ ...current, newest }) };
  }

  /** Reads one page of missed events. @returns null when retention has removed some of them */
  async readMissedPage(readPage: EventPage): Promise<RecordedEvent[] | null> {
    const events = await this.events.findByPosition(readPage);
    return events.length === readPage.length ? events : null;
  }

  /**
   * Reads a page of the workspace's events after the cursor, or from the beginning of the log.
   *
   * It reads closed ranges of settled transactions, each in order of position, so that no event can appear later in a
   * range that was read.
   * @throws CursorInvalid, CursorExpired
   */
  async page(
    { workspaceId, types }: Omit<EventQuery, 'conversationIds'>,
    after: string | undefined,
    limit: number,
  ): Promise<{ events: RecordedEvent[]; cursor: string; hasMore: boolean }> {
    const start = await this.parseCursor(after);
    const open = start.range ? start : await this.openRange(start);
    if (!open?.range) return { events: [], cursor: encodeLogCursor(start), hasMore: false };
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
    const cursor = decodeLogCursor(after);
    if (!cursor) throw new CursorInvalid();
    if (await this.checkCursor(cursor)) throw new CursorExpired();
    return cursor;
  }

  /** @returns the cursor with the next range; null when no transaction has settled since */
  private async openRange(cursor: LogCursor): Promise<LogCursor | null> {
    const settled = await this.events.settledSince(cursor.since);
    if (!settled) return null;
    const { horizon, newest, first, last } = settled;
    return { ...cursor, newest, range: { horizon, position: (BigInt(first) - 1n).toString(), last } };
  }

  /** @returns null when the log can be read on from the cursor */
  private async checkCursor({ identity, since, newest, range }: LogCursor): Promise<'epoch' | 'expired' | null> {
    // the cursor of the log's beginning is always valid
    if (since === '0' && range === null && newest?.position === NO_EVENT.position) return null;
    if (identity !== this.tail.identity || newest === null) return 'epoch';
    const { pruned, next, found } = await this.events.cursorState(newest.position);
    const from = BigInt(since);
    if (from > next) return 'epoch';
    if (from <= pruned && since !== '0') return 'expired';
    return isProved(newest, from, found, pruned) ? null : 'epoch';
  }
}

/** @returns the newest of `newest` and these events */
function newestAmong(
  events: readonly Pick<RecordedEvent, 'id' | 'xid' | 'position'>[],
  newest: NewestEvent,
): NewestEvent {
  const received = events.map(({ id, xid, position }) => ({ xid: BigInt(xid), position, mark: markOf(id) }));
  return received.reduce(newerOf, newest);
}

/** Splits the events into pages. Each has at least one event and ends with the event that reaches `PAGE_BYTES`. */
function paginate(events: readonly EventRef[]): EventPage[] {
  const pages: EventRef[][] = [];
  let bytesLeft = 0;
  for (const event of events) {
    if (bytesLeft <= 0) {
      pages.push([]);
      bytesLeft = PAGE_BYTES;
    }
    pages.at(-1)?.push(event);
    bytesLeft -= event.bytes;
  }
  return pages.map(page => page.map(({ position }) => position));
}
