import { signal, type ReadonlySignal } from '@preact/signals';
import type { ConversationView, Page } from '@support-chat/sdk';
import { ViewFilter, type ListFilter } from './view-filter.js';

/** A conversation that the list may show. */
export interface ListedRow {
  readonly id: string;
  /** Undefined until it is known. */
  readonly shown: ConversationView | undefined;
  /** True if it has to be read again before it counts as known. */
  readonly isStale: boolean;
}

export interface PageRequest {
  /** The cursor of the request; undefined for the first page. */
  cursor: string | undefined;
  /** `store.mark()` before the request. */
  mark: number;
}

interface Entry {
  id: string;
  key: string;
}

/** Sort key of the last conversation that was read; null if all were. */
type Tail = string | null;

/** A reading of the list from its beginning. */
interface Pass {
  tail: Tail | undefined;
  next: string | undefined;
  mark: number;
  members: Set<string>;
}

/** More rows than this are read again only when they are scrolled to. */
const MAX_READ_AGAIN = 200;

/**
 * The conversations of a filter, in the order of the service: every known match down to the last one of the pages that
 * were read. Further matches wait, because unknown ones may lie between.
 */
export class ConversationList {
  private readonly shownIds = signal<readonly string[]>([]);
  private readonly isReadSignal = signal(false);
  private readonly hasMoreSignal = signal(false);
  /** All known matches, sorted; the first of them are shown. */
  private readonly entries: Entry[] = [];
  private readonly keys = new Map<string, string>();
  private tail: Tail | undefined;
  private cursor: string | null | undefined;
  private pass: Pass | undefined;
  /** A pass that began before this mark does not satisfy the need. */
  private neededAt: number | undefined = 0;
  /** Pages of requests before this mark describe another state, and are left out. */
  private staleAt: number | undefined;
  /** Conversations that the service listed, where a client cannot judge. */
  private members = new Set<string>();
  /** The page after the last row is needed. */
  private isMoreNeeded = false;
  private isChanged = false;

  constructor(readonly filter: ViewFilter) {}

  /** The parameters of `GET /v1/conversations`, without those of the page. */
  get query(): ListFilter {
    return this.filter.query;
  }

  /** Ids of the conversations that are shown, in order. */
  get ids(): ReadonlySignal<readonly string[]> {
    return this.shownIds;
  }

  /** False until the first page was read. */
  get isRead(): ReadonlySignal<boolean> {
    return this.isReadSignal;
  }

  /** True if the service has further pages. */
  get hasMore(): ReadonlySignal<boolean> {
    return this.hasMoreSignal;
  }

  /** True if the page at `next` has to be read. */
  get isNeeded(): boolean {
    return this.neededAt !== undefined || this.pass !== undefined || this.isMoreNeeded;
  }

  /** Cursor of the next page to read; undefined for the first page, null after the last one. */
  get next(): string | null | undefined {
    if (this.pass) return this.pass.next;
    return this.neededAt === undefined ? this.cursor : undefined;
  }

  /** Requests a reading from the beginning by a request at `mark` or later. Rows stay meanwhile. */
  requireRead(mark: number): void {
    this.neededAt = mark;
  }

  /** Requests the page after the last row, if there is one. */
  requireMore(): void {
    this.isMoreNeeded = this.tail !== undefined && this.tail !== null;
  }

  /** Requests a reading of stale rows. Those far down leave until they are scrolled to. */
  setStale(mark: number): void {
    this.requireRead(mark);
    this.pass = undefined;
    this.isMoreNeeded = false;
    this.staleAt = mark;
    const last = this.entries[MAX_READ_AGAIN - 1];
    if (last && this.tail !== undefined && this.isWithin(last.key, this.tail)) this.tail = last.key;
    this.isChanged = true;
  }

  /**
   * Takes a page, whose conversations the store has taken before. A page of an outdated request is left out.
   * @returns true if other conversations than before may count, so that all have to be placed again
   */
  applyPage({ items, next_cursor }: Page<ConversationView>, { cursor, mark }: PageRequest): boolean {
    const isFirst = cursor === undefined;
    if (isFirst ? mark < (this.staleAt ?? 0) : cursor !== this.next) return false;
    if (isFirst) this.pass = { tail: undefined, next: undefined, mark, members: new Set() };
    this.isChanged = true;
    const { pass } = this;
    const members = pass ? pass.members : this.members;
    for (const { id } of items) members.add(id);
    if (pass) {
      pass.tail = this.tailAfter(items, next_cursor, pass.tail);
      pass.next = next_cursor ?? undefined;
      this.endPass(pass, next_cursor);
    } else {
      this.tail = this.tailAfter(items, next_cursor, this.tail);
      this.cursor = next_cursor;
      this.isMoreNeeded = false;
    }
    return pass !== undefined || !this.filter.isJudged;
  }

  /** Puts a row where it belongs now, or takes it out. */
  arrange(row: ListedRow): void {
    const { id, shown } = row;
    const known = this.keys.get(id);
    const key = shown && this.contains(row, shown) ? this.filter.sortKeyOf(shown) : undefined;
    if (known === key) return;
    if (known !== undefined) this.removeEntry(id, known);
    if (key === undefined) return;
    this.keys.set(id, key);
    this.entries.splice(this.positionOf(key), 0, { id, key });
    this.touch(key);
  }

  /** True if it is a known match, shown or not. */
  has(id: string): boolean {
    return this.keys.has(id);
  }

  /** Takes a conversation out that no longer exists. */
  remove(id: string): void {
    const known = this.keys.get(id);
    if (known !== undefined) this.removeEntry(id, known);
    this.members.delete(id);
    this.pass?.members.delete(id);
  }

  /** Shows the changes since the last time. */
  publish(): void {
    if (!this.isChanged) return;
    this.isChanged = false;
    const ids = this.entries.slice(0, this.shownLength()).map(({ id }) => id);
    const shown = this.shownIds.peek();
    if (ids.length !== shown.length || ids.some((id, index) => id !== shown[index])) this.shownIds.value = ids;
    this.isReadSignal.value = this.tail !== undefined;
    this.hasMoreSignal.value = this.tail !== undefined && this.tail !== null;
  }

  /** During a pass, rows that it has passed count only as it found them. */
  private contains({ id, isStale }: ListedRow, view: ConversationView): boolean {
    if (!this.filter.matches(view)) return false;
    const isPassed = this.pass?.tail !== undefined && this.isWithin(this.filter.sortKeyOf(view), this.pass.tail);
    if (isStale && (isPassed || (!this.pass && this.staleAt === undefined))) return false;
    if (this.filter.isJudged) return true;
    return this.pass?.members.has(id) || (!isPassed && this.members.has(id));
  }

  private endPass(pass: Pass, cursor: string | null): void {
    const hasPassed = pass.tail === null || (this.tail !== null && this.isWithin(this.tail ?? '', pass.tail!));
    if (this.tail !== undefined && !hasPassed) return;
    this.tail = pass.tail;
    this.cursor = cursor;
    this.isMoreNeeded &&= cursor !== null;
    this.members = pass.members;
    this.pass = undefined;
    if (pass.mark >= (this.neededAt ?? 0)) this.neededAt = undefined;
    if (pass.mark >= (this.staleAt ?? 0)) this.staleAt = undefined;
  }

  /** Pages are sorted by times that may be newer than those by which they were read, so the worst key counts. */
  private tailAfter(items: readonly ConversationView[], cursor: string | null, before: Tail | undefined): Tail {
    if (cursor === null) return null;
    let worst = before ?? undefined;
    for (const item of items) {
      const key = this.filter.sortKeyOf(item);
      if (worst === undefined || this.filter.compare(key, worst) > 0) worst = key;
    }
    return worst ?? null;
  }

  private isWithin(key: string, tail: Tail): boolean {
    return tail === null || this.filter.compare(key, tail) <= 0;
  }

  private touch(key: string): void {
    this.isChanged ||= this.tail !== undefined && this.isWithin(key, this.tail);
  }

  private removeEntry(id: string, key: string): void {
    this.keys.delete(id);
    this.entries.splice(this.positionOf(key), 1);
    this.touch(key);
  }

  private shownLength(): number {
    if (this.tail === undefined) return 0;
    if (this.tail === null) return this.entries.length;
    const position = this.positionOf(this.tail);
    return this.entries[position]?.key === this.tail ? position + 1 : position;
  }

  /** Index of the first entry that does not come before the key. */
  private positionOf(key: string): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.filter.compare(this.entries[middle]!.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
