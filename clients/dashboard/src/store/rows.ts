import type { ReadonlySignal } from '@preact/signals';
import type { ContactSummaryView, ConversationView } from '@support-chat/sdk';
import type { Contacts } from './contacts.js';
import { Conversation, type ConversationFields, type UnreadCounter } from './conversation.js';
import type { EventFrame, FrameLog } from './frame-log.js';
import type { Needs } from './needs.js';
import { Row, type Overlay, type OverlayFields } from './row.js';
import { SignalMap } from './signal-map.js';
import type { TagRenames } from './tag-renames.js';

/** The known conversations, each with a signal of its own. */
export class Rows {
  private readonly rows = new Map<string, Row>();
  private readonly idsByContact = new Map<string, Set<string>>();
  private readonly views = new SignalMap<ConversationView>();
  private readonly changed = new Set<Row>();
  /** Changed rows that were read again, mostly without a difference. */
  private readonly reread = new Set<Row>();
  private hasStale = false;

  /** @param counterOf counts the unread messages of a conversation by its thread */
  constructor(
    private readonly log: FrameLog,
    private readonly contacts: Contacts,
    private readonly renames: TagRenames,
    private readonly needs: Needs,
    private readonly counterOf: (conversationId: string) => UnreadCounter,
  ) {}

  view(id: string): ReadonlySignal<ConversationView | undefined> {
    return this.views.get(id);
  }

  /** The conversation without unconfirmed actions; undefined if it is unknown, or has to be read again. */
  confirmed(id: string): ConversationView | undefined {
    const row = this.rows.get(id);
    return row && !row.isStale ? row.confirmed(this.contactOf(row), this.renames) : undefined;
  }

  get(id: string): Row | undefined {
    return this.rows.get(id);
  }

  all(): Iterable<Row> {
    return this.rows.values();
  }

  /** Marks a row to be composed and shown anew, unless it was removed: its actions end later. */
  touch(row: Row): void {
    if (this.rows.get(row.id) === row) this.changed.add(row);
  }

  touchContact(contactId: string): void {
    for (const row of this.ofContact(contactId)) this.touch(row);
  }

  touchTag(name: string): void {
    for (const row of this.rows.values()) if (row.conversation.fields.tags.includes(name)) this.touch(row);
  }

  ofContact(contactId: string): Row[] {
    return [...(this.idsByContact.get(contactId) ?? [])].map(id => this.rows.get(id)!);
  }

  /** Takes a response, and on top of it the frames since its request. */
  applyView(view: ConversationView, mark: number, position: number): void {
    const { contact, ...base } = view;
    if (this.contacts.applySummary(contact, mark, position)) this.touchContact(contact.id);
    const row = this.rows.get(base.id);
    const read = this.rebuild(base, mark);
    if (!this.log.reachesBackTo(mark, base.id)) read.doubt();
    if (!row) this.add(read, position);
    else if (isBetter(read, row)) this.replace(row, read, position);
    this.settleNeed(this.rows.get(base.id)!, mark);
  }

  /** Takes a frame. @returns the row, or undefined if the conversation is unknown */
  applyFrame(id: string, frame: EventFrame): Row | undefined {
    const row = this.rows.get(id);
    if (!row) return frame.type === 'conversation.created' ? this.applyCreated(frame.data) : undefined;
    const { contactId, conversation } = row;
    const before = conversation.fields;
    conversation.apply(frame, this.counterOf(id));
    if (conversation.isDoubtful) this.needs.raise(id, this.log.mark);
    if (conversation.fields === before) return row;
    row.changedAt = this.log.mark;
    if (row.contactId !== contactId) this.index(row, contactId);
    this.touch(row);
    return row;
  }

  /** @returns undefined if the conversation is unknown */
  overlay(id: string, fields: OverlayFields, onChange: () => void): Overlay | undefined {
    const row = this.rows.get(id);
    return row?.overlay(fields, () => {
      this.touch(row);
      onChange();
    });
  }

  remove(id: string): void {
    const row = this.rows.get(id);
    if (!row) return;
    this.rows.delete(id);
    this.changed.delete(row);
    this.idsByContact.get(row.contactId)?.delete(id);
    this.views.delete(id);
  }

  /** Rows stay as they are until a response to a later request. */
  setStale(): void {
    this.hasStale = this.rows.size > 0;
    for (const row of this.rows.values()) {
      row.isStale = true;
      this.touch(row);
    }
  }

  /** Forgets stale rows, as what they show may be erased by now. @param isKept for those that are read again @returns ids */
  dropStale(isKept: (id: string) => boolean): string[] {
    if (!this.hasStale) return [];
    const stale = [...this.rows.values()].filter(({ isStale }) => isStale).map(({ id }) => id);
    const dropped = stale.filter(id => !isKept(id));
    for (const id of dropped) this.remove(id);
    this.hasStale = dropped.length < stale.length;
    return dropped;
  }

  /** Shows the changed rows. @param onChange is called for each of them */
  publish(onChange: (row: Row) => void): void {
    for (const row of this.changed) {
      const { shown } = row;
      const view = row.compose(this.contactOf(row), this.renames);
      if (shown && this.reread.has(row) && JSON.stringify(shown) === JSON.stringify(view)) row.shown = shown;
      else this.views.set(row.id, view);
      onChange(row);
    }
    this.changed.clear();
    this.reread.clear();
  }

  private applyCreated({
    conversation,
    contact,
  }: {
    conversation: ConversationFields;
    contact: ContactSummaryView;
  }): Row {
    this.contacts.applySummary(contact, 0, this.log.mark);
    const created = this.rebuild(conversation, 0);
    const row = this.add(created, this.log.mark);
    if (created.isDoubtful) this.needs.raise(row.id, this.log.mark);
    else this.needs.drop(row.id);
    return row;
  }

  private rebuild(base: ConversationFields, mark: number): Conversation {
    const newestAt = mark === 0 ? '' : this.log.newestAt(mark, base.id);
    const read = new Conversation(base, newestAt, mark === 0 ? '' : this.renames.newestAt(mark));
    const count = this.counterOf(base.id);
    for (const frame of this.log.since(mark, base.id)) read.apply(frame, count);
    return read;
  }

  private add(conversation: Conversation, position: number): Row {
    const row = new Row(conversation, position);
    this.rows.set(row.id, row);
    this.index(row);
    this.touch(row);
    return row;
  }

  private replace(row: Row, read: Conversation, position: number): void {
    const { contactId } = row;
    row.conversation = read;
    row.isStale = false;
    row.changedAt = position;
    if (row.contactId !== contactId) this.index(row, contactId);
    this.reread.add(row);
    this.touch(row);
  }

  /** A response that lacks nothing satisfies the need, even if its request is older than the need. */
  private settleNeed({ id, conversation, isStale }: Row, mark: number): void {
    if (conversation.isDoubtful) this.needs.raise(id, this.log.mark);
    else if (!isStale) this.needs.drop(id);
    else this.needs.satisfy(id, mark);
  }

  private index(row: Row, before?: string): void {
    if (before !== undefined) this.idsByContact.get(before)?.delete(row.id);
    const ids = this.idsByContact.get(row.contactId);
    if (ids) ids.add(row.id);
    else this.idsByContact.set(row.contactId, new Set([row.id]));
  }

  /** A conversation may have moved to a contact that was not read yet; the need for it brings the contact too. */
  private contactOf(row: Row): ContactSummaryView {
    const known = this.contacts.summary(row.contactId);
    if (known) return known;
    this.needs.raise(row.id, this.log.mark);
    return { id: row.contactId, name: null, email: null, avatar_url: null, verified: false };
  }
}

/** A row that is stale takes any later response; else one that shows no earlier state. */
function isBetter(read: Conversation, row: Row): boolean {
  if (row.isStale) return true;
  return !read.isOlderThan(row.conversation) && (!read.isDoubtful || row.conversation.isDoubtful);
}
