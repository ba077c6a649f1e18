import { signal, type ReadonlySignal } from '@preact/signals';
import type { MessageRange, MessageView, Page } from '@support-chat/sdk';
import { revisionOf, unreadSideOf, type Side } from './message-facts.js';
import type { ThreadSnapshot } from './snapshot.js';

/** Messages of the first reading. */
const NEWEST = 50;
const LIMIT = 200;
/** Messages can be edited and unsent for 15 minutes. Events may be a little late. */
const EDIT_MS = 16 * 60_000;

/** The known messages of a conversation. Agents see every `seq`, so a gap is a message that was not received. */
export class Thread {
  private readonly shown = signal<readonly MessageView[]>([]);
  private readonly isReadSignal = signal(false);
  private readonly hasOlderSignal = signal(false);
  private readonly bySeq = new Map<number, MessageView>();
  private seqs: number[] = [];
  /** Every `seq` after which the service has none up to the next known one. */
  private readonly ends = new Set<number>();
  private isOpen = false;
  private hasBeginning = false;
  /** The messages are those of a snapshot, which the first page replaces. */
  private isRestored = false;
  /** Everything after `seq` has to be read by a request at `mark` or later. */
  private stale: { seq: number; mark: number } | undefined;
  private isChanged = false;

  /** In order of `seq`. */
  get messages(): ReadonlySignal<readonly MessageView[]> {
    return this.shown;
  }

  /** False until messages were read. */
  get isRead(): ReadonlySignal<boolean> {
    return this.isReadSignal;
  }

  /** True if there are messages before the first one. Read those by `olderRange`. */
  get hasOlder(): ReadonlySignal<boolean> {
    return this.hasOlderSignal;
  }

  /** @param isFar reads as many as a request may, on the way to a message far back */
  olderRange(isFar = false): MessageRange {
    return { before_seq: this.seqs[0] ?? 1, limit: isFar ? LIMIT : NEWEST };
  }

  /** The newest messages as they are known; undefined if none were read. @param limit number of messages */
  snapshot(limit: number): Omit<ThreadSnapshot, 'conversationId'> | undefined {
    if (!this.isReadSignal.peek() || this.isRestored || this.stale) return undefined;
    const hasOlder = this.seqs.length > limit || !this.hasBeginning;
    return { messages: this.seqs.slice(-limit).map(seq => this.bySeq.get(seq)!), hasOlder };
  }

  /** Shows messages of a snapshot until the present ones were read. */
  restore({ messages, hasOlder }: Omit<ThreadSnapshot, 'conversationId'>): void {
    this.clear();
    for (const message of messages) this.insert(message);
    this.hasBeginning = !hasOlder;
    this.isRestored = true;
    this.isReadSignal.value = true;
  }

  /** Requests the newest messages, if none were read. */
  open(): void {
    this.isOpen = true;
  }

  /** Requests no more messages. */
  close(): void {
    this.isOpen = false;
  }

  get isOpened(): boolean {
    return this.isOpen;
  }

  /** Frees the messages. */
  forget(): void {
    this.clear();
    this.isOpen = false;
    this.stale = undefined;
  }

  /** Forgets the messages, and requests the newest ones again. */
  restart(mark: number): void {
    this.clear();
    this.stale = { seq: 0, mark };
  }

  /** Requests again what may have changed since a time at which all was received. @param at in wire format */
  setStale(at: string, mark: number): void {
    const final = new Date(Date.parse(at) - EDIT_MS).toISOString();
    const changeable = this.seqs.findIndex(seq => this.bySeq.get(seq)!.created_at >= final);
    const seq = changeable < 0 ? this.seqs.at(-1) : this.seqs[changeable - 1];
    if (seq === undefined) this.restart(mark);
    else this.stale = { seq, mark };
  }

  /** Frees older messages than the newest ones. They are read again when they are scrolled to. @returns true if there were any */
  trim(count: number): boolean {
    if (this.seqs.length <= count) return false;
    for (const seq of this.seqs.splice(0, this.seqs.length - count)) {
      this.bySeq.delete(seq);
      this.ends.delete(seq);
    }
    this.hasBeginning = false;
    this.isChanged = true;
    return true;
  }

  /** Adds a message, or replaces an older version of it. One before the known ones stays out until it is read. */
  merge(message: MessageView): void {
    if (this.isReadSignal.peek() && this.isWithin(message)) this.insert(message);
  }

  /** @returns the message with this id of its sender, if it is known */
  findByClientId(clientMessageId: string): MessageView | undefined {
    for (const message of this.bySeq.values()) if (message.client_message_id === clientMessageId) return message;
    return undefined;
  }

  /** @param range of the request @param frames messages that were received since */
  applyPage({ items, next_cursor }: Page<MessageView>, range: MessageRange, mark: number, frames: MessageView[]): void {
    const { stale } = this;
    if (stale && stale.seq === 0 && mark < stale.mark) return;
    if (this.isRestored) {
      if (range.before_seq !== undefined) return;
      this.clear();
    }
    for (const item of items) this.insert(item);
    for (const [index, { seq }] of items.entries()) {
      const next = items[index + 1];
      if (next && next.seq !== seq + 1) this.ends.add(seq);
    }
    if (range.after_seq === undefined) this.hasBeginning ||= next_cursor === null;
    else this.readForwards(range.after_seq, items, next_cursor);
    if (stale && mark >= stale.mark) this.stale = stillStale(stale, items, range, next_cursor);
    this.isReadSignal.value = true;
    this.isChanged = true;
    for (const message of frames) if (this.isWithin(message)) this.insert(message);
  }

  /** The messages that are missing; undefined for none. @param lastSeq of the conversation, if it is known */
  missingRange(lastSeq: number | undefined): MessageRange | undefined {
    if (!this.isOpen) return undefined;
    if (!this.isReadSignal.peek() || this.isRestored || this.stale?.seq === 0) return { limit: NEWEST };
    if (this.stale) return { after_seq: this.stale.seq, limit: LIMIT };
    const gap = this.seqs.find((seq, index) => this.isGap(seq, this.seqs[index + 1] ?? (lastSeq ?? 0) + 1));
    if (gap !== undefined) return { after_seq: gap, limit: LIMIT };
    return this.seqs.length === 0 && (lastSeq ?? 0) > 0 && !this.ends.has(0) ? { limit: NEWEST } : undefined;
  }

  /** @returns undefined unless every message from there to `lastSeq` is known */
  countUnread(side: Side, afterSeq: number, lastSeq: number): number | undefined {
    if (this.isRestored) return undefined;
    let count = 0;
    for (let seq = lastSeq; seq > afterSeq; seq -= 1) {
      const message = this.bySeq.get(seq);
      if (!message) return undefined;
      if (message.deleted_at === null && unreadSideOf(message) === side) count += 1;
    }
    return count;
  }

  /** Shows the changes since the last time. */
  publish(): void {
    if (!this.isChanged) return;
    this.isChanged = false;
    this.shown.value = this.seqs.map(seq => this.bySeq.get(seq)!);
    this.hasOlderSignal.value = !this.hasBeginning && (this.seqs[0] ?? 1) > 1;
  }

  /** False for a message before the known ones: with it, all those between would be missing. */
  private isWithin({ seq }: MessageView): boolean {
    return this.hasBeginning || seq >= (this.seqs[0] ?? 0);
  }

  private isGap(seq: number, next: number): boolean {
    return next > seq + 1 && !this.ends.has(seq);
  }

  private readForwards(after: number, items: readonly MessageView[], cursor: string | null): void {
    const first = items[0]?.seq;
    if (first !== undefined && first !== after + 1) this.ends.add(after);
    if (cursor === null) this.ends.add(items.at(-1)?.seq ?? after);
  }

  private insert(message: MessageView): void {
    const { seq } = message;
    const known = this.bySeq.get(seq);
    if (known && revisionOf(message) <= revisionOf(known)) return;
    this.bySeq.set(seq, message);
    this.isChanged = true;
    if (known) return;
    const last = this.seqs.at(-1) ?? 0;
    if (seq > last) this.seqs.push(seq);
    else this.seqs.splice(this.indexAfter(seq), 0, seq);
  }

  private indexAfter(seq: number): number {
    let low = 0;
    let high = this.seqs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.seqs[middle]! < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private clear(): void {
    this.bySeq.clear();
    this.seqs = [];
    this.ends.clear();
    this.hasBeginning = false;
    this.isRestored = false;
    this.isReadSignal.value = false;
    this.isChanged = true;
  }
}

function stillStale(
  stale: { seq: number; mark: number },
  items: readonly MessageView[],
  { after_seq }: MessageRange,
  cursor: string | null,
): { seq: number; mark: number } | undefined {
  if (stale.seq === 0) return undefined;
  if (after_seq === undefined || after_seq > stale.seq) return stale;
  const last = items.at(-1);
  return cursor === null || !last ? undefined : { ...stale, seq: Math.max(stale.seq, last.seq) };
}
