import { signal, type ReadonlySignal } from '@preact/signals';
import type { MessageRange } from '@support-chat/sdk';
import type { ConversationList } from './conversation-list.js';

/**
 * The reads that the store lacks. Their owner performs them and gives the responses to the store, which removes what
 * they satisfy; a need that stays has to be read again.
 */
export class Needs {
  private readonly marks = new Map<string, number>();
  private areMarksDirty = false;
  private readonly conversationIds = signal<ReadonlySet<string>>(new Set());
  private readonly threadRanges = signal<ReadonlyMap<string, MessageRange>>(new Map());
  private readonly listSet = signal<ReadonlySet<ConversationList>>(new Set());

  /** Conversations to read by `GET /v1/conversations/{id}`. */
  get conversations(): ReadonlySignal<ReadonlySet<string>> {
    return this.conversationIds;
  }

  /** Messages to read, by conversation. */
  get threads(): ReadonlySignal<ReadonlyMap<string, MessageRange>> {
    return this.threadRanges;
  }

  /** Lists whose page at `list.next` is to be read. */
  get lists(): ReadonlySignal<ReadonlySet<ConversationList>> {
    return this.listSet;
  }

  has(conversationId: string): boolean {
    return this.marks.has(conversationId);
  }

  /** @param mark only a request that begins at it or later satisfies the need */
  raise(conversationId: string, mark: number): void {
    this.areMarksDirty ||= !this.marks.has(conversationId);
    this.marks.set(conversationId, mark);
  }

  /** Removes the need if the request of a response began late enough. */
  satisfy(conversationId: string, mark: number): void {
    const raised = this.marks.get(conversationId);
    if (raised !== undefined && mark >= raised) this.drop(conversationId);
  }

  drop(conversationId: string): void {
    if (this.marks.delete(conversationId)) this.areMarksDirty = true;
  }

  setRange(conversationId: string, range: MessageRange | undefined): void {
    const ranges = this.threadRanges.peek();
    const known = ranges.get(conversationId);
    if (known?.after_seq === range?.after_seq && (known === undefined) === (range === undefined)) return;
    const next = new Map(ranges);
    if (range) next.set(conversationId, range);
    else next.delete(conversationId);
    this.threadRanges.value = next;
  }

  setList(list: ConversationList, isNeeded: boolean): void {
    const lists = this.listSet.peek();
    if (lists.has(list) === isNeeded) return;
    const next = new Set(lists);
    if (isNeeded) next.add(list);
    else next.delete(list);
    this.listSet.value = next;
  }

  /** Shows the conversations that were raised or dropped since the last time. */
  publish(): void {
    if (!this.areMarksDirty) return;
    this.areMarksDirty = false;
    this.conversationIds.value = new Set(this.marks.keys());
  }
}
