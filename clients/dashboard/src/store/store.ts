import type { ReadonlySignal } from '@preact/signals';
import type { ContactView, ConversationView, MessageRange, MessageView, Page } from '@support-chat/sdk';
import type { ConversationList, PageRequest } from './conversation-list.js';
import type { AgentFrame } from './frame-log.js';
import type { Needs } from './needs.js';
import type { PendingMessages } from './pending-messages.js';
import type { Overlay, OverlayFields } from './row.js';
import { StoreState } from './store-state.js';
import type { StoreSnapshot } from './snapshot.js';
import type { Thread } from './thread.js';
import type { ListFilter } from './view-filter.js';

/** Sizes of a snapshot. */
const MAX_ROWS = 200;
const MAX_THREADS = 20;
const MAX_MESSAGES = 50;

const NO_OVERLAY: Overlay = { undo: () => undefined, settle: () => undefined };

/**
 * Everything that the dashboard knows of conversations, messages and contacts. It performs no requests: it takes
 * responses, frames and unconfirmed actions, and names in `needs` what has to be read. Its end depends neither on the order
 * in which they arrive nor on repetitions. See `docs/adr/0020`.
 *
 * Call `mark()` before each request and give it back with the response.
 */
export class Store {
  readonly needs: Needs;
  /** Messages that the service has not confirmed. */
  readonly pending: PendingMessages;
  private readonly state: StoreState;
  /** Conversations that the service does not show to the member. */
  private readonly removedIds = new Set<string>();

  /**
   * @param memberId of the signed-in member, whom `me` means in filters
   * @param onForget called with each conversation that was erased, or that the member may not see any more
   */
  constructor(memberId: string, onForget: (conversationId: string) => void = () => undefined) {
    this.state = new StoreState(memberId, onForget);
    ({ needs: this.needs, pending: this.pending } = this.state);
  }

  /** The conversation as it is shown, with unconfirmed actions; undefined while it is unknown. */
  conversation(id: string): ReadonlySignal<ConversationView | undefined> {
    return this.state.rows.view(id);
  }

  /** The whole contact; undefined until it was read. Rows have its summary in `contact`. */
  contact(id: string): ReadonlySignal<ContactView | undefined> {
    return this.state.contacts.view(id);
  }

  /** The list of a filter, which is read as long as it is open. Equal filters give the same list. */
  list(filter: ListFilter): ConversationList {
    const list = this.state.lists.open(filter, this.state.rows.all());
    this.state.update(() => undefined);
    return list;
  }

  /** Requests the next page of a list, if there is one. */
  requireMore(list: ConversationList): void {
    this.state.update(() => list.requireMore());
  }

  /** Forgets a list that is no longer shown. */
  closeList(list: ConversationList): void {
    this.state.update(() => this.state.lists.close(list));
  }

  /** The messages of a conversation, which are read from now on, as is the conversation if it is unknown or stale. */
  thread(conversationId: string): Thread {
    const { threads, rows, needs, log } = this.state;
    if (this.isGone(conversationId)) return threads.get(conversationId);
    this.state.update(() => {
      const row = rows.get(conversationId);
      if (threads.open(conversationId) && (!row || row.isStale)) needs.raise(conversationId, log.mark);
    });
    return threads.get(conversationId);
  }

  /** Names the conversation on the screen: of the others only the newest messages are kept, and none after a gap. */
  watch(conversationId: string | undefined): void {
    this.state.update(() => this.state.threads.watch(conversationId));
  }

  /** True if it was erased, or the member may not see it. */
  isGone(conversationId: string): boolean {
    const { erasedIds, rows } = this.state;
    return erasedIds.has(conversationId) || (this.removedIds.has(conversationId) && !rows.get(conversationId));
  }

  /** All that is known and need not be read again. @param list the one on the screen */
  snapshot(list: ConversationList | undefined): StoreSnapshot {
    const { rows, threads } = this.state;
    const shown = list?.isNeeded ? undefined : list;
    const ids = shown?.ids.peek() ?? [];
    const conversations = new Map<string, ConversationView>();
    const keep = (id: string): boolean => {
      const view = rows.confirmed(id);
      if (view) conversations.set(id, view);
      return view !== undefined;
    };
    const listed = ids.slice(0, MAX_ROWS).filter(keep);
    const recent = threads.snapshot(MAX_THREADS, MAX_MESSAGES).filter(thread => keep(thread.conversationId));
    const hasMore = ids.length > MAX_ROWS || (shown?.hasMore.peek() ?? false);
    return {
      conversations: [...conversations.values()],
      list: shown && { query: shown.query, ids: listed, hasMore },
      threads: recent,
    };
  }

  /** Shows a snapshot. Call it before everything else. */
  restore(snapshot: StoreSnapshot): void {
    this.state.update(() => this.state.restore(snapshot));
  }

  /** The present position. A response is applied with the mark from before its request. */
  mark(): number {
    return this.state.log.advance();
  }

  /** Takes frames in the order in which they arrived, and shows all their changes at once. Repeated ones change nothing. */
  apply(...frames: AgentFrame[]): void {
    this.state.update(() => {
      for (const frame of frames) if (frame.type !== 'error') this.state.take(frame);
    });
  }

  /** Takes a page of `GET /v1/conversations` for a list. @param request the cursor was `list.next` */
  applyList(list: ConversationList, page: Page<ConversationView>, request: PageRequest): void {
    this.state.update(() => {
      if (!this.state.log.reachesBackTo(request.mark)) return;
      this.state.takeViews(page.items, request.mark);
      if (!list.applyPage(page, request)) return;
      for (const row of this.state.rows.all()) list.arrange(row);
    });
  }

  /** Takes conversations of any other response: a reading, an action. */
  applyConversations(views: readonly ConversationView[], mark: number): void {
    this.state.update(() => this.state.takeViews(views, mark));
  }

  /** Takes messages of a conversation. @param range the parameters of the request */
  applyMessages(conversationId: string, page: Page<MessageView>, range: MessageRange, mark: number): void {
    if (this.state.erasedIds.has(conversationId) || !this.state.log.reachesBackTo(mark, conversationId)) return;
    this.state.update(() => {
      this.state.threads.applyPage(conversationId, page, range, mark);
      for (const message of page.items) this.state.pending.confirm(message);
    });
  }

  /** Takes the response to sending, editing or unsending a message. */
  applyMessage(message: MessageView): void {
    if (this.state.erasedIds.has(message.conversation_id)) return;
    this.state.update(() => this.state.takeMessage(message));
  }

  /** Takes a whole contact. */
  applyContact(contact: ContactView, mark: number): void {
    const { contacts, rows, log } = this.state;
    this.state.update(() => {
      if (contacts.applyView(contact, log.advance(), mark)) rows.touchContact(contact.id);
    });
  }

  /** Forgets a contact that the service no longer has (404), and its conversations, of which the service keeps numbers only. */
  eraseContact(id: string): void {
    this.state.update(() => this.state.eraseContact(id));
  }

  /** Forgets a conversation that the service no longer shows to the member (404). */
  remove(id: string): void {
    this.removedIds.add(id);
    this.state.update(() => this.state.drop(id));
  }

  /**
   * Shows fields of an action before the service confirms it. Afterwards apply its response and call `settle` with the
   * response's `version`, or call `undo` if it failed.
   */
  overlay(conversationId: string, fields: OverlayFields): Overlay {
    let overlay: Overlay | undefined;
    this.state.update(() => {
      overlay = this.state.rows.overlay(conversationId, fields, () => this.state.update(() => undefined));
    });
    return overlay ?? NO_OVERLAY;
  }
}
