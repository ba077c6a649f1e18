import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { AgentClient, NotificationPageView, NotificationView } from '@support-chat/sdk';
import type { AgentFrame } from '../store/frame-log.js';

const PAGE = 25;
/** Frames come in bursts; each of them may make the list outdated. */
const REREAD_AFTER_MS = 300;
const RETRY_AFTER_MS = 5_000;

/** Frames after which notifications may be gone, or may no longer be shown to the session. */
const REMOVING = ['notification.read', 'contact.deleted', 'channel.deleted'];

type Client = Pick<AgentClient, 'notifications'>;

/**
 * The member's notifications: who has assigned, mentioned or answered the member. The service decides which ones the
 * session sees; frames add to them and mark them as read at once, and the list is read again after a frame that removes.
 */
export class Notices {
  private readonly list = signal<readonly NotificationView[]>([]);
  private readonly count = signal(0);
  private readonly cursor = signal<string | null>(null);
  private readonly isReadSignal = signal(false);
  private readonly errorSignal = signal<unknown>(undefined);
  /** Received since the present request began. */
  private arrived: NotificationView[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isReading = false;
  /** The next reading replaces everything, because the session may see less than before. */
  private isReset = false;
  private isClosed = false;
  private readonly listeners = new Set<(notification: NotificationView) => void>();

  /** Ids of conversations with unread notifications, as far as they are loaded. */
  readonly unreadConversationIds: ReadonlySignal<readonly string[]> = computed(() => [
    ...new Set(this.list.value.filter(isUnread).map(({ conversation_id }) => conversation_id)),
  ]);

  constructor(private readonly agent: Client) {}

  /** Newest first: the pages that were read. */
  get items(): ReadonlySignal<readonly NotificationView[]> {
    return this.list;
  }

  /** The service stops counting at 100. */
  get unreadCount(): ReadonlySignal<number> {
    return this.count;
  }

  /** False until the first page was read. */
  get isRead(): ReadonlySignal<boolean> {
    return this.isReadSignal;
  }

  get hasMore(): boolean {
    return this.cursor.value !== null;
  }

  /** Why the latest reading has failed; undefined if it has not. */
  get error(): ReadonlySignal<unknown> {
    return this.errorSignal;
  }

  /** @param listener called with each notification that arrives @returns the end of it */
  listen(listener: (notification: NotificationView) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  receive(frame: AgentFrame): void {
    switch (frame.type) {
      case 'sync.required':
        this.isReset = true;
        return this.requireRead(0);
      case 'notification.created':
        return this.add(frame.data.notification);
      case 'notification.read':
        if (frame.data.ids) this.markRead(frame.data.ids);
        break;
      case 'contact.deleted': {
        const { id } = frame.data;
        this.remove(({ actor }) => actor.type === 'contact' && actor.id === id);
        break;
      }
      default:
    }
    if (REMOVING.includes(frame.type)) this.requireRead();
  }

  /** Removes those of a conversation that was erased, or that the member may not see any more. */
  forget(conversationId: string): void {
    this.remove(({ conversation_id }) => conversation_id === conversationId);
  }

  /** Reads the first page soon, once for all calls until then. */
  requireRead(afterMs = REREAD_AFTER_MS): void {
    if (this.isClosed) return;
    this.timer ??= setTimeout(() => void this.readFirst(), afterMs);
  }

  /** @throws ApiError */
  async readMore(): Promise<void> {
    const cursor = this.cursor.peek();
    if (cursor === null) return;
    const page = await this.agent.notifications.list({ limit: PAGE, cursor });
    // the list began anew meanwhile
    if (this.isClosed || this.cursor.peek() !== cursor) return;
    const known = new Set(this.list.peek().map(({ id }) => id));
    this.list.value = [...this.list.peek(), ...page.items.filter(({ id }) => !known.has(id))];
    this.cursor.value = page.next_cursor;
  }

  /** Marks those of a conversation as read that are loaded, because the member looks at it. */
  readOf(conversationId: string): void {
    const unread = this.list.peek().filter(each => isUnread(each) && each.conversation_id === conversationId);
    if (unread.length > 0) void this.read(unread.map(({ id }) => id)).catch(() => undefined);
  }

  /** Shows them as read at once, and as before if the service refuses it. @throws ApiError */
  async read(ids: readonly string[]): Promise<void> {
    this.markRead(ids);
    await this.confirm(() => this.agent.notifications.read({ ids: [...ids] }));
  }

  /** Marks all as read that the session sees. @throws ApiError */
  async readAll(): Promise<void> {
    this.markRead(this.list.peek().map(({ id }) => id));
    this.count.value = 0;
    await this.confirm(() => this.agent.notifications.read({ all: true }));
  }

  /** The notification as it is known now; undefined if it is gone. */
  find(id: string): NotificationView | undefined {
    return this.list.peek().find(each => each.id === id);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async confirm(request: () => Promise<{ unread_count: number }>): Promise<void> {
    try {
      this.count.value = (await request()).unread_count;
    } catch (error) {
      this.requireRead(RETRY_AFTER_MS);
      throw error;
    }
  }

  private async readFirst(): Promise<void> {
    this.timer = undefined;
    if (this.isReading) return this.requireRead();
    this.isReading = true;
    this.arrived = [];
    const isReset = this.isReset;
    this.isReset = false;
    try {
      const page = await this.agent.notifications.list({ limit: PAGE });
      if (!this.isClosed) this.apply(page, isReset);
      this.errorSignal.value = undefined;
    } catch (error) {
      // the next connection reads it again
      this.errorSignal.value = error;
      this.isReset ||= isReset;
    } finally {
      this.isReading = false;
    }
  }

  private apply({ items, next_cursor, unread_count }: NotificationPageView, isReset: boolean): void {
    const last = items.at(-1)?.id;
    const keepsOlder = !isReset && next_cursor !== null && last !== undefined;
    const older = keepsOlder ? this.list.peek().filter(({ id }) => id < last) : [];
    const newer = this.arrived.filter(({ id }) => !items.some(item => item.id === id));
    this.list.value = [...newer, ...items, ...older];
    this.count.value = unread_count + newer.length;
    if (older.length === 0) this.cursor.value = next_cursor;
    this.isReadSignal.value = true;
  }

  private add(notification: NotificationView): void {
    if (this.find(notification.id)) return;
    this.arrived.push(notification);
    this.list.value = [notification, ...this.list.peek()];
    this.count.value += 1;
    for (const listener of this.listeners) listener(notification);
  }

  private markRead(ids: readonly string[]): void {
    const at = new Date().toISOString();
    const read = new Set(ids);
    const list = this.list.peek();
    const changed = list.filter(each => isUnread(each) && read.has(each.id));
    if (changed.length === 0) return;
    this.list.value = list.map(each => (changed.includes(each) ? { ...each, read_at: at } : each));
    this.count.value = Math.max(0, this.count.peek() - changed.length);
  }

  private remove(isRemoved: (notification: NotificationView) => boolean): void {
    const removed = this.list.peek().filter(isRemoved);
    if (removed.length === 0) return;
    this.arrived = this.arrived.filter(each => !isRemoved(each));
    this.list.value = this.list.peek().filter(each => !isRemoved(each));
    this.count.value = Math.max(0, this.count.peek() - removed.filter(isUnread).length);
  }
}

export function isUnread({ read_at }: NotificationView): boolean {
  return read_at === null;
}
