import { ApiError, type AgentClient, type MessageRange } from '@support-chat/sdk';
import type { ConversationList } from '../store/conversation-list.js';
import type { Store } from '../store/store.js';

const PAGE = 50;
const CONCURRENCY = 4;
/** A list that only the service can judge is read again at most this often. */
const LIST_EVERY_MS = 1_500;
const RETRY_AFTER_MS = 3_000;

/** Reads what the store needs, a few things at once, and what is scrolled to. */
export class Reader {
  private readonly running = new Set<string>();
  private readonly listReadAt = new Map<ConversationList, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  private retryAt = 0;
  private readonly idleListeners: (() => void)[] = [];

  constructor(
    private readonly agent: AgentClient,
    private readonly store: Store,
  ) {}

  /** Starts what is needed and not under way. Called within an effect, it runs again when the needs change. */
  work(): void {
    const { lists, threads, conversations } = this.store.needs;
    const needed: [key: string, start: () => Promise<void>][] = [
      ...[...threads.value].map(
        ([id, range]) => [`t ${id}`, () => this.readMessages(id, range)] as [string, () => Promise<void>],
      ),
      ...[...lists.value].map(
        list => [`l ${list.filter.key}`, () => this.readPage(list)] as [string, () => Promise<void>],
      ),
      ...[...conversations.value].map(
        id => [`c ${id}`, () => this.readConversation(id)] as [string, () => Promise<void>],
      ),
    ];
    if (this.isClosed || Date.now() < this.retryAt) return this.workLater(this.retryAt - Date.now());
    if (needed.length === 0 && this.running.size === 0) for (const notify of this.idleListeners.splice(0)) notify();
    for (const [key, start] of needed) {
      if (this.running.size >= CONCURRENCY) return;
      if (!this.running.has(key)) void this.run(key, start);
    }
  }

  /** Resolves once everything that the store needs was read. */
  idle(): Promise<void> {
    return new Promise(resolve => {
      this.idleListeners.push(resolve);
      this.work();
    });
  }

  /** Reads messages before the first known one, if there are any. @param isFar reads as many as a request may */
  readOlder(conversationId: string, isFar = false): void {
    const key = `o ${conversationId}`;
    const thread = this.store.thread(conversationId);
    if (this.running.has(key) || !thread.hasOlder.peek()) return;
    const range = thread.olderRange(isFar);
    void this.run(key, () => this.readMessages(conversationId, range));
  }

  /** @throws nothing: what could not be read is needed until it is */
  async readConversations(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map(id => this.readConversation(id).catch(() => this.workLater(RETRY_AFTER_MS))));
  }

  /** Reads a whole contact with its duplicates. @throws ApiError, unless the contact was erased */
  async readContact(id: string): Promise<void> {
    const mark = this.store.mark();
    try {
      const contact = await this.agent.contacts.get(id, { include: 'duplicates' });
      if (!this.isClosed) this.store.applyContact(contact, mark);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      this.store.eraseContact(id);
    }
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async run(key: string, start: () => Promise<void>): Promise<void> {
    this.running.add(key);
    try {
      await start();
    } catch (error) {
      const waitMs =
        error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1_000 : RETRY_AFTER_MS;
      this.retryAt = Date.now() + waitMs;
    } finally {
      this.running.delete(key);
    }
    this.work();
  }

  private workLater(afterMs: number): void {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.work(), Math.max(0, afterMs));
  }

  private async readPage(list: ConversationList): Promise<void> {
    const { store, agent } = this;
    const cursor = list.next ?? undefined;
    if (!list.filter.isJudged && cursor === undefined) await this.waitForTurn(list);
    const mark = store.mark();
    const page = await agent.conversations.list({
      ...list.query,
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    if (!this.isClosed) store.applyList(list, page, { cursor, mark });
  }

  private async waitForTurn(list: ConversationList): Promise<void> {
    const waitMs = (this.listReadAt.get(list) ?? 0) + LIST_EVERY_MS - Date.now();
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs));
    this.listReadAt.set(list, Date.now());
  }

  private async readConversation(id: string): Promise<void> {
    const mark = this.store.mark();
    try {
      const view = await this.agent.conversations.get(id);
      if (!this.isClosed) this.store.applyConversations([view], mark);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      this.store.remove(id);
    }
  }

  private async readMessages(id: string, range: MessageRange): Promise<void> {
    const mark = this.store.mark();
    try {
      const page = await this.agent.conversations.messages(id, range);
      if (!this.isClosed) this.store.applyMessages(id, page, range, mark);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      this.store.remove(id);
    }
  }
}

/** True if the member may not see it any more, or nobody may. */
function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && [403, 404, 410].includes(error.status);
}
