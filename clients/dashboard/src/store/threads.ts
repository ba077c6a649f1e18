import type { MessageRange, MessageView, Page } from '@support-chat/sdk';
import type { EventFrame, FrameLog } from './frame-log.js';
import type { Needs } from './needs.js';
import type { ThreadSnapshot } from './snapshot.js';
import { Thread } from './thread.js';

/** Threads whose messages are kept. */
const MAX_THREADS = 60;
/** Messages that are kept of a thread that is not on the screen: as many as are read when it is opened. */
const MAX_MESSAGES = 50;

/** Threads by conversation. The ones that were not opened for longest are freed. */
export class Threads {
  private watchedId: string | undefined;
  private readonly byId = new Map<string, Thread>();
  private readonly changed = new Set<string>();

  constructor(
    private readonly log: FrameLog,
    private readonly needs: Needs,
  ) {}

  /** The thread of a conversation, which is created empty. */
  get(conversationId: string): Thread {
    let thread = this.byId.get(conversationId);
    if (!thread) this.byId.set(conversationId, (thread = new Thread()));
    return thread;
  }

  /** Opens a thread, which makes it the last to be freed. @returns false if it was open */
  open(conversationId: string): boolean {
    const thread = this.get(conversationId);
    this.byId.delete(conversationId);
    this.byId.set(conversationId, thread);
    if (thread.isOpened) return false;
    thread.open();
    this.touch(conversationId);
    this.freeOldest();
    return true;
  }

  /** Names the conversation on the screen, whose messages are all kept. */
  watch(conversationId: string | undefined): void {
    if (this.watchedId === conversationId) return;
    this.watchedId = conversationId;
    for (const [id, thread] of this.byId) if (id !== conversationId && thread.trim(MAX_MESSAGES)) this.touch(id);
  }

  peek(conversationId: string): Thread | undefined {
    return this.byId.get(conversationId);
  }

  ids(): string[] {
    return [...this.byId.keys()];
  }

  isOpen(conversationId: string): boolean {
    return this.byId.get(conversationId)?.isOpened ?? false;
  }

  /** Marks a thread, so that it is shown anew and its missing messages are determined again. */
  touch(conversationId: string): void {
    if (this.byId.has(conversationId)) this.changed.add(conversationId);
  }

  merge(message: MessageView): void {
    this.byId.get(message.conversation_id)?.merge(message);
    this.touch(message.conversation_id);
  }

  applyPage(conversationId: string, page: Page<MessageView>, range: MessageRange, mark: number): void {
    const frames = this.log.since(mark, conversationId).flatMap(messageOf);
    this.get(conversationId).applyPage(page, range, mark, frames);
    this.touch(conversationId);
  }

  /** The threads that were opened last. */
  snapshot(limit: number, messages: number): ThreadSnapshot[] {
    const known = [...this.byId].flatMap(([conversationId, thread]) => {
      const snapshot = thread.snapshot(messages);
      return snapshot ? [{ conversationId, ...snapshot }] : [];
    });
    return known.slice(-limit);
  }

  restore(snapshot: ThreadSnapshot): void {
    this.get(snapshot.conversationId).restore(snapshot);
    this.touch(snapshot.conversationId);
  }

  forget(conversationId: string): void {
    this.byId.get(conversationId)?.forget();
    this.touch(conversationId);
  }

  /** Frees the messages. Pages of requests before `mark` are left out. */
  restart(conversationId: string, mark: number): void {
    this.byId.get(conversationId)?.restart(mark);
    this.touch(conversationId);
  }

  /** The thread on the screen is read again; the others are freed. @param at time of the last frame, if any */
  setStale(at: string | undefined, mark: number): void {
    for (const [id, thread] of this.byId) {
      if (id !== this.watchedId || !thread.isOpened) thread.forget();
      else if (at === undefined) thread.restart(mark);
      else thread.setStale(at, mark);
      this.changed.add(id);
    }
  }

  /** @param lastSeqOf the newest `seq` of a conversation, if it is known */
  publish(lastSeqOf: (conversationId: string) => number | undefined): void {
    for (const id of this.changed) {
      const thread = this.get(id);
      thread.publish();
      this.needs.setRange(id, thread.missingRange(lastSeqOf(id)));
    }
    this.changed.clear();
  }

  private freeOldest(): void {
    const open = [...this.byId.keys()].filter(id => id !== this.watchedId && this.isOpen(id));
    for (const id of open.slice(0, Math.max(0, open.length - MAX_THREADS))) this.forget(id);
  }
}

function messageOf(frame: EventFrame): MessageView[] {
  switch (frame.type) {
    case 'message.created':
    case 'message.updated':
    case 'message.deleted':
      return [frame.data.message];
    default:
      return [];
  }
}
