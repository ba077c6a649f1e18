import { batch } from '@preact/signals';
import type { ContactView, ConversationView, MessageView } from '@support-chat/sdk';
import { Contacts } from './contacts.js';
import { FrameLog, isLogged, type EventFrame } from './frame-log.js';
import { Lists } from './lists.js';
import { Needs } from './needs.js';
import { PendingMessages } from './pending-messages.js';
import { Rows } from './rows.js';
import type { StoreSnapshot } from './snapshot.js';
import { TagRenames } from './tag-renames.js';
import { Threads } from './threads.js';

/** More unknown conversations than this are not read one by one. */
const MAX_UNKNOWN = 100;

/** The parts of the store, and how frames and responses change them together. */
export class StoreState {
  readonly needs = new Needs();
  readonly log = new FrameLog();
  readonly contacts = new Contacts();
  readonly pending = new PendingMessages();
  readonly threads = new Threads(this.log, this.needs);
  readonly rows: Rows;
  readonly lists: Lists;
  /** Conversations of erased contacts. */
  readonly erasedIds = new Set<string>();
  private readonly renames = new TagRenames();
  /** Time of the newest frame of the event log. */
  private newestAt: string | undefined;
  /** Conversations that frames changed, until they are shown. */
  private readonly framed = new Set<string>();
  private readonly unknownIds = new Set<string>();
  private isUpdating = false;

  /** @param onForget called with each conversation that was erased, or that the member may not see any more */
  constructor(
    memberId: string,
    private readonly onForget: (conversationId: string) => void,
  ) {
    this.lists = new Lists(memberId, this.needs);
    this.rows = new Rows(this.log, this.contacts, this.renames, this.needs, id => (side, after) => {
      const lastSeq = this.rows.get(id)?.conversation.fields.last_seq ?? 0;
      return this.threads.peek(id)?.countUnread(side, after, lastSeq);
    });
  }

  /** Takes conversations of a response. */
  takeViews(views: readonly ConversationView[], mark: number): void {
    const position = this.log.advance();
    const isComplete = this.log.reachesBackTo(mark);
    for (const view of views) {
      if (this.isErased(view.id, view.contact_id)) continue;
      this.unknownIds.delete(view.id);
      if (isComplete) this.rows.applyView(view, mark, position);
      else this.needs.raise(view.id, position);
    }
  }

  /** Takes a frame. */
  take(frame: EventFrame): void {
    const conversationId = conversationOf(frame);
    if (conversationId !== undefined && this.erasedIds.has(conversationId)) return;
    if (isLogged(frame)) {
      if (!this.log.add(frame, frame.conversation_id)) return;
      if ((frame.timestamp ?? '') > (this.newestAt ?? '')) this.newestAt = frame.timestamp;
    }
    switch (frame.type) {
      case 'sync.required':
        this.sync(frame.data.reason === 'epoch');
        break;
      case 'tag.updated':
        this.renameTag(frame.data.from, frame.data.to, frame.timestamp ?? '');
        break;
      case 'contact.updated':
        this.updateContact(frame.data);
        break;
      case 'contact.merged':
        this.mergeContact(frame.data.id, frame.data.into_id);
        break;
      case 'contact.deleted':
        this.eraseContact(frame.data.id);
        break;
      default:
        if (isLogged(frame) && conversationId !== undefined) this.takeForConversation(conversationId, frame);
    }
  }

  private takeForConversation(id: string, frame: EventFrame): void {
    if (frame.type === 'message.created' || frame.type === 'message.updated' || frame.type === 'message.deleted') {
      const { message } = frame.data;
      if (message.sender_type === 'contact' && this.isErased(id, message.sender_id)) return;
      this.takeMessage(message);
    }
    if (frame.type === 'conversation.created' && this.isErased(id, frame.data.contact.id)) return;
    const row = this.rows.applyFrame(id, frame);
    if (row && this.isErased(id, row.contactId)) return;
    if (row) this.framed.add(id);
    if (row && !row.isStale) return;
    if (this.threads.isOpen(id)) this.needs.raise(id, this.log.mark);
    if (this.lists.followUnknown(frame, this.log.mark)) this.requireUnknown(id);
  }

  /** Many unknown conversations are found by reading the lists again. */
  private requireUnknown(id: string): void {
    this.needs.raise(id, this.log.mark);
    this.unknownIds.add(id);
    if (this.unknownIds.size <= MAX_UNKNOWN) return;
    for (const unknownId of this.unknownIds) {
      if (!this.rows.get(unknownId) && !this.threads.isOpen(unknownId)) this.needs.drop(unknownId);
    }
    this.unknownIds.clear();
    this.lists.requireRead(this.log.mark);
  }

  /** Takes a message, which replaces the pending one. */
  takeMessage(message: MessageView): void {
    this.pending.confirm(message);
    this.threads.merge(message);
  }

  private renameTag(from: string, to: string | null, at: string): void {
    if (!this.renames.add(from, to, at, this.log.mark)) return;
    this.rows.touchTag(from);
    this.lists.followRename(from, this.log.mark);
  }

  private updateContact(view: ContactView): void {
    if (!this.contacts.applyView(view, this.log.mark)) return;
    this.rows.touchContact(view.id);
    this.lists.followContacts(this.log.mark);
  }

  private mergeContact(id: string, intoId: string): void {
    this.contacts.merge(id, intoId);
    this.lists.followContacts(this.log.mark);
    if (this.contacts.isErased(id)) this.eraseContact(id);
    else this.rows.touchContact(id);
  }

  /** Forgets everything of a person for ever. */
  eraseContact(id: string): void {
    for (const contactId of this.contacts.erase(id)) {
      for (const row of this.rows.ofContact(contactId)) this.isErased(row.id, contactId);
    }
    const position = this.log.advance();
    for (const unknownId of this.log.conversationIds()) if (!this.rows.get(unknownId)) this.log.forget(unknownId);
    for (const threadId of this.threads.ids()) if (!this.rows.get(threadId)) this.threads.restart(threadId, position);
  }

  /** True if a conversation belongs to an erased contact. Everything of it is forgotten then, and kept out later. */
  private isErased(id: string, contactId: string): boolean {
    if (this.erasedIds.has(id)) return true;
    if (!this.contacts.isErased(contactId)) return false;
    this.erasedIds.add(id);
    this.drop(id);
    return true;
  }

  /** Forgets a conversation. */
  drop(id: string): void {
    this.rows.remove(id);
    this.lists.remove(id);
    this.threads.forget(id);
    this.pending.forget(id);
    this.log.forget(id);
    this.needs.drop(id);
    this.onForget(id);
  }

  /** Missed events cannot be replayed. After a restore (`epoch`) messages reuse their `seq`, so none is kept. */
  private sync(isRestored: boolean): void {
    this.log.clear();
    const { mark } = this.log;
    this.rows.setStale();
    this.contacts.setStale(mark);
    this.lists.setStale(mark);
    this.threads.setStale(isRestored ? undefined : this.newestAt, mark);
    for (const id of this.threads.ids()) if (this.threads.isOpen(id)) this.needs.raise(id, mark);
  }

  /** Shows a snapshot. Everything in it is read again, as after missed events. */
  restore({ conversations, list, threads }: StoreSnapshot): void {
    this.takeViews(conversations, this.log.advance());
    const { mark } = this.log;
    if (list) {
      const known = new Map(conversations.map(view => [view.id, view]));
      const items = list.ids.flatMap(id => known.get(id) ?? []);
      const page = { items, next_cursor: list.hasMore ? '' : null };
      this.lists.open(list.query, []).applyPage(page, { cursor: undefined, mark });
    }
    for (const thread of threads) this.threads.restore(thread);
    this.rows.setStale();
    this.contacts.setStale(mark);
    this.lists.setStale(mark);
  }

  /** Runs a change, and shows everything that it changed at once. */
  update(change: () => void): void {
    if (this.isUpdating) return change();
    batch(() => {
      this.isUpdating = true;
      try {
        change();
      } finally {
        this.publish();
        this.isUpdating = false;
      }
    });
  }

  private publish(): void {
    this.rows.publish(row => {
      this.lists.arrange(row);
      this.threads.touch(row.id);
      if (row.shown && this.framed.has(row.id)) this.lists.followKnown(row.shown, this.log.mark);
    });
    this.framed.clear();
    this.threads.publish(id => this.rows.get(id)?.conversation.fields.last_seq);
    this.dropStale();
    this.lists.publish();
    this.needs.publish();
  }

  /** After `sync.required`, once all lists were read: what no reading has confirmed is forgotten. */
  private dropStale(): void {
    if (this.lists.areNeeded) return;
    for (const id of this.rows.dropStale(id => this.threads.isOpen(id) || this.needs.has(id))) {
      this.lists.remove(id);
      this.threads.forget(id);
    }
  }
}

/** The conversation of a frame; ephemeral frames name it in their data. */
function conversationOf({ conversation_id: id, data }: EventFrame): string | undefined {
  return id ?? (data && 'conversation_id' in data ? data.conversation_id : undefined);
}
