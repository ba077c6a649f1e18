import { batch, type ReadonlySignal } from '@preact/signals';
import type {
  ContactSummaryView,
  ContactView,
  ConversationView,
  MessageRange,
  MessageView,
  Page,
} from '@support-chat/sdk';
import { Contacts } from './contacts.js';
import { ConversationList, type PageRequest } from './conversation-list.js';
import { Conversation, type ConversationFields, type UnreadCounter } from './conversation.js';
import { FrameLog, type AgentFrame } from './frame-log.js';
import { Needs } from './needs.js';
import { PendingMessages } from './pending-messages.js';
import { Row, type Overlay, type OverlayFields } from './row.js';
import { SignalMap } from './signal-map.js';
import { TagRenames } from './tag-renames.js';
import { Thread } from './thread.js';
import { ViewFilter, type ListFilter } from './view-filter.js';

/** Threads whose messages are kept. */
const MAX_THREADS = 60;
/** More unknown conversations than this are found by reading the lists again. */
const MAX_UNKNOWN = 100;

/**
 * Everything the dashboard knows of conversations. It has no network: frames and responses are handed to it, and
 * `needs` names what it lacks. A response is given with the mark at which its request began; what was received since is
 * applied to it again, so the order of arrival does not matter.
 */
export class Store {
  readonly needs = new Needs();
  readonly pending = new PendingMessages();
  private readonly log = new FrameLog();
  private readonly rows = new Map<string, Row>();
  private readonly shown = new SignalMap<ConversationView>();
  private readonly threads = new Map<string, Thread>();
  private readonly lists = new Map<string, ConversationList>();
  private readonly contacts = new Contacts();
  private readonly renames = new TagRenames();
  private readonly touched = new Set<string>();
  private readonly unknown = new Set<string>();
  /** Conversations that no longer exist for this member. */
  private readonly gone = new Set<string>();
  /** Requests before this mark may lack what was missed. */
  private staleAt = 0;
  /** The conversation on the screen. */
  private watched: string | undefined;
  /** Time of the service when the last frame was received. */
  private heardAt: string | undefined;

  /** @param memberId of the signed-in member, whom `me` means in filters */
  constructor(private readonly memberId: string) {}

  /** The present position. Take it before a request, and give it back with the response. */
  mark(): number {
    return this.log.advance();
  }

  /** A conversation as it is shown; undefined while it is unknown. */
  conversation(id: string): ReadonlySignal<ConversationView | undefined> {
    return this.shown.get(id);
  }

  /** A whole contact; undefined until it was read or changed. */
  contact(id: string): ReadonlySignal<ContactView | undefined> {
    return this.contacts.view(id);
  }

  /** True if it was erased, or the member may no longer see it. */
  isGone(conversationId: string): boolean {
    return this.gone.has(conversationId);
  }

  /** The conversations of a filter. Equal filters have one list. */
  list(query: ListFilter): ConversationList {
    const filter = new ViewFilter(query, this.memberId);
    const known = this.lists.get(filter.key);
    if (known) return known;
    const list = new ConversationList(filter);
    this.lists.set(filter.key, list);
    for (const row of this.rows.values()) list.place(row);
    this.needs.setList(list, true);
    return list;
  }

  /** The messages of a conversation, which are read from now on. */
  thread(conversationId: string): Thread {
    let thread = this.threads.get(conversationId);
    if (!thread?.isOpened) {
      thread ??= new Thread();
      thread.open();
      this.freeThreads();
    }
    this.threads.delete(conversationId);
    this.threads.set(conversationId, thread);
    this.updateRange(conversationId, thread);
    return thread;
  }

  /** Tells which conversation is on the screen: after a gap, the messages of the others are dropped. */
  watch(conversationId: string | undefined): void {
    this.watched = conversationId;
  }

  /** Frames in the order of their arrival. All are shown together. */
  apply(...frames: AgentFrame[]): void {
    batch(() => {
      for (const frame of frames) this.applyFrame(frame);
      this.publish();
    });
  }

  applyConversations(views: readonly ConversationView[], mark: number): void {
    batch(() => {
      for (const view of views) this.takeView(view, mark);
      this.publish();
    });
  }

  applyList(list: ConversationList, page: Page<ConversationView>, request: PageRequest): void {
    batch(() => {
      for (const view of page.items) this.takeView(view, request.mark);
      this.publishRows();
      list.applyPage(page, request);
      for (const id of list.knownIds) this.placeAgain(list, id);
      this.publish();
    });
  }

  applyMessages(conversationId: string, page: Page<MessageView>, range: MessageRange, mark: number): void {
    const thread = this.threads.get(conversationId);
    if (!thread || this.gone.has(conversationId) || mark < this.staleAt) return;
    const frames = this.log.since(mark, conversationId).flatMap(frame => messageOf(frame) ?? []);
    batch(() => {
      thread.applyPage(page, range, mark, frames);
      for (const message of [...page.items, ...frames]) this.pending.confirm(message);
      this.touched.add(conversationId);
      this.publish();
    });
  }

  /** A message of a response, such as that of a send. Its frame may come before or after. */
  applyMessage(message: MessageView): void {
    if (this.gone.has(message.conversation_id)) return;
    batch(() => {
      this.pending.confirm(message);
      this.threads.get(message.conversation_id)?.merge(message);
      this.touched.add(message.conversation_id);
      this.publish();
    });
  }

  applyContact(contact: ContactView, mark: number): void {
    batch(() => {
      if (this.contacts.applyView(contact, this.log.advance(), mark)) this.touchRowsOf(contact.id);
      this.publish();
    });
  }

  /** Shows an action before the service confirms it. It has no effect on an unknown conversation. */
  overlay(conversationId: string, fields: OverlayFields): Overlay {
    const row = this.rows.get(conversationId);
    if (!row) return { undo: () => undefined, settle: () => undefined };
    return row.overlay(fields, () => {
      this.touched.add(conversationId);
      batch(() => this.publish());
    });
  }

  /** Removes a conversation that the service no longer shows to this member. */
  remove(conversationId: string): void {
    batch(() => {
      this.removeRow(conversationId);
      this.publish();
    });
  }

  private applyFrame(frame: AgentFrame): void {
    const { timestamp } = frame as { timestamp?: string };
    if (timestamp && timestamp > (this.heardAt ?? '')) this.heardAt = timestamp;
    if (frame.type === 'connected') this.heardAt ??= frame.data.server_time;
    if (frame.type === 'sync.required') return this.setStale();
    if (!isLogged(frame)) return;
    const conversationId = conversationOf(frame);
    if (!this.log.add(frame, conversationId ?? contactOf(frame))) return;
    if (conversationId !== undefined) this.applyToConversation(conversationId, frame);
    else this.applyToOthers(frame);
  }

  private applyToConversation(id: string, frame: AgentFrame): void {
    if (this.gone.has(id)) return;
    const message = messageOf(frame);
    if (message) {
      this.threads.get(id)?.merge(message);
      this.pending.confirm(message);
    }
    const row = this.rows.get(id);
    if (row) {
      row.conversation.apply(frame, this.counterOf(id));
      row.changedAt = this.log.mark;
      this.touched.add(id);
    } else if (frame.type === 'conversation.created') this.create(frame.data);
    else this.requireUnknown(id, frame);
    this.rereadLists(id, frame);
  }

  private applyToOthers(frame: AgentFrame): void {
    switch (frame.type) {
      case 'contact.updated':
        if (this.contacts.applyView(frame.data, this.log.mark)) this.touchRowsOf(frame.data.id);
        return;
      case 'contact.merged':
        this.contacts.merge(frame.data.id, frame.data.into_id);
        for (const row of this.rowsOf(frame.data.id)) this.needs.raise(row.id, this.log.mark);
        return this.touchRowsOf(frame.data.id);
      case 'contact.deleted':
        this.contacts.erase(frame.data.id);
        this.log.forget(frame.data.id);
        for (const { id } of this.rowsOf(frame.data.id)) this.removeRow(id);
        return;
      case 'tag.updated':
        if (!this.renames.add(frame.data.from, frame.data.to, frame.timestamp ?? '')) return;
        for (const { id, conversation } of this.rows.values()) {
          if (conversation.fields.tags.length > 0) this.touched.add(id);
        }
        return;
      default:
    }
  }

  private create({ conversation, contact }: { conversation: ConversationFields; contact: ContactSummaryView }): void {
    // frames of it may have come first
    this.takeView({ ...conversation, contact }, this.log.start);
  }

  private takeView(view: ConversationView, mark: number): void {
    const { contact, ...fields } = view;
    const { id } = fields;
    if (this.gone.has(id) || this.contacts.isErased(contact.id)) return;
    const position = this.log.advance();
    if (this.contacts.applySummary(contact, mark, position)) this.touchRowsOf(contact.id);
    const conversation = new Conversation(fields);
    for (const frame of this.log.since(mark, id)) conversation.apply(frame, this.counterOf(id));
    if (mark < this.staleAt || !this.log.reachesBackTo(mark)) conversation.doubt();
    const row = this.rows.get(id);
    if (row && !row.isStale && conversation.isOlderThan(row.conversation)) {
      if (!row.conversation.isDoubtful) this.needs.satisfy(id, mark);
      return;
    }
    this.unknown.delete(id);
    if (row) {
      row.conversation = conversation;
      row.changedAt = position;
      row.isStale &&= conversation.isDoubtful;
    } else this.rows.set(id, new Row(conversation, position));
    this.needs.satisfy(id, mark);
    this.touched.add(id);
  }

  private requireUnknown(id: string, frame: AgentFrame): void {
    const { changed, known } = factsOf(frame);
    const lists = [...this.lists.values()].filter(({ filter }) => filter.mayEnter(changed, known));
    if (lists.length === 0 && !this.threads.has(id)) return;
    this.unknown.add(id);
    if (this.unknown.size <= MAX_UNKNOWN) return this.needs.raise(id, this.log.mark);
    for (const each of this.unknown) this.needs.drop(each);
    this.unknown.clear();
    for (const list of lists) list.requireRead(this.log.mark);
  }

  /** Only the service knows who is in a list that clients cannot judge. */
  private rereadLists(id: string, frame: AgentFrame): void {
    const { changed, known } = factsOf(frame);
    for (const list of this.lists.values()) {
      const { filter } = list;
      if (!filter.isJudged && (list.has(id) || filter.mayEnter(changed, known))) list.requireRead(this.log.mark);
    }
  }

  private setStale(): void {
    const mark = (this.staleAt = this.log.advance());
    this.log.clear();
    this.contacts.setStale(mark);
    this.unknown.clear();
    for (const row of this.rows.values()) row.isStale = true;
    for (const list of this.lists.values()) list.setStale(mark);
    for (const [id, thread] of this.threads) {
      if (id !== this.watched) this.threads.delete(id);
      else if (this.heardAt === undefined) thread.restart(mark);
      else thread.setStale(this.heardAt, mark);
    }
    for (const id of this.needs.threads.peek().keys()) if (id !== this.watched) this.needs.setRange(id, undefined);
    if (this.watched !== undefined) this.touched.add(this.watched);
  }

  private removeRow(id: string): void {
    this.gone.add(id);
    this.rows.delete(id);
    this.threads.delete(id);
    this.unknown.delete(id);
    this.touched.delete(id);
    this.needs.drop(id);
    this.needs.setRange(id, undefined);
    this.pending.forget(id);
    this.shown.delete(id);
    this.log.forget(id);
    for (const list of this.lists.values()) list.remove(id);
  }

  private rowsOf(contactId: string): Row[] {
    return [...this.rows.values()].filter(row => row.contactId === contactId);
  }

  private touchRowsOf(contactId: string): void {
    for (const { id } of this.rowsOf(contactId)) this.touched.add(id);
  }

  private counterOf(id: string): UnreadCounter {
    return (side, afterSeq) => {
      const lastSeq = this.rows.get(id)?.conversation.fields.last_seq;
      return lastSeq === undefined ? undefined : this.threads.get(id)?.countUnread(side, afterSeq, lastSeq);
    };
  }

  private freeThreads(): void {
    for (const id of this.threads.keys()) {
      if (this.threads.size < MAX_THREADS) return;
      if (id === this.watched) continue;
      this.threads.delete(id);
      this.needs.setRange(id, undefined);
    }
  }

  private updateRange(id: string, thread: Thread): void {
    this.needs.setRange(id, thread.missingRange(this.rows.get(id)?.conversation.fields.last_seq));
  }

  private placeAgain(list: ConversationList, id: string): void {
    const row = this.rows.get(id);
    if (row) list.place(row);
    else list.remove(id);
  }

  /** Shows everything that has changed since the last time. */
  private publish(): void {
    this.publishRows();
    for (const list of this.lists.values()) {
      list.publish();
      this.needs.setList(list, list.isNeeded);
    }
    this.needs.publish();
  }

  private publishRows(): void {
    for (const id of this.touched) {
      const row = this.rows.get(id);
      if (row) this.publishRow(row);
      const thread = this.threads.get(id);
      if (!thread) continue;
      thread.publish();
      this.updateRange(id, thread);
    }
    this.touched.clear();
  }

  private publishRow(row: Row): void {
    const { id, contactId } = row;
    const contact = this.contacts.summary(contactId);
    if (!contact) return;
    this.shown.set(id, row.compose(contact, this.renames));
    for (const list of this.lists.values()) list.place(row);
    if (row.conversation.isDoubtful && !this.needs.has(id)) this.needs.raise(id, this.log.mark);
  }
}

function isLogged(frame: AgentFrame): frame is AgentFrame & { id: string } {
  return 'id' in frame && frame.id !== undefined;
}

function conversationOf(frame: AgentFrame): string | undefined {
  return 'conversation_id' in frame ? frame.conversation_id : undefined;
}

function contactOf(frame: AgentFrame): string | undefined {
  return frame.type === 'contact.updated' ? frame.data.id : undefined;
}

function messageOf(frame: AgentFrame): MessageView | undefined {
  switch (frame.type) {
    case 'message.created':
    case 'message.updated':
    case 'message.deleted':
      return frame.data.message;
    default:
      return undefined;
  }
}

/** Fields that a frame changes, and others that it tells. */
function factsOf(frame: AgentFrame): { changed: Partial<ConversationView>; known: Partial<ConversationView> } {
  const known: Partial<ConversationView> = frameChannel(frame);
  switch (frame.type) {
    case 'conversation.created':
      return { changed: frame.data.conversation, known };
    case 'conversation.updated':
      return { changed: valuesOf(frame.data.changes), known };
    case 'message.created': {
      const { status, unread, last_activity_at, last_seq } = frame.data.conversation;
      const { message } = frame.data;
      const answered = message.sender_type === 'contact' ? { waiting_since: message.created_at } : {};
      return { changed: { unread, last_activity_at, last_seq, ...answered }, known: { ...known, status } };
    }
    default:
      return { changed: {}, known };
  }
}

function frameChannel(frame: AgentFrame): Partial<ConversationView> {
  return 'channel_id' in frame && frame.channel_id !== undefined ? { channel_id: frame.channel_id } : {};
}

function valuesOf(changes: Record<string, { to: unknown }>): Partial<ConversationView> {
  return Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));
}
