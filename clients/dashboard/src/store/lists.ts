import type { ConversationView } from '@support-chat/sdk';
import { ConversationList } from './conversation-list.js';
import type { EventFrame } from './frame-log.js';
import type { Needs } from './needs.js';
import type { Row } from './row.js';
import { tagKey } from './tag-renames.js';
import { ViewFilter, type ListFilter } from './view-filter.js';

type Fields = Partial<ConversationView>;

/** The open lists, each by its filter. */
export class Lists {
  private readonly byKey = new Map<string, ConversationList>();

  constructor(
    private readonly memberId: string,
    private readonly needs: Needs,
  ) {}

  /** The list of a filter. @param rows all known conversations, for a list that is opened */
  open(query: ListFilter, rows: Iterable<Row>): ConversationList {
    const filter = new ViewFilter(query, this.memberId);
    const known = this.byKey.get(filter.key);
    if (known) return known;
    const list = new ConversationList(filter);
    this.byKey.set(filter.key, list);
    for (const row of rows) list.arrange(row);
    return list;
  }

  close(list: ConversationList): void {
    if (this.byKey.get(list.filter.key) !== list) return;
    this.byKey.delete(list.filter.key);
    this.needs.setList(list, false);
  }

  /** True while a list has to be read. */
  get areNeeded(): boolean {
    return [...this.byKey.values()].some(({ isNeeded }) => isNeeded);
  }

  arrange(row: Row): void {
    for (const list of this.byKey.values()) list.arrange(row);
  }

  remove(id: string): void {
    for (const list of this.byKey.values()) list.remove(id);
  }

  /** Lists that only the service can judge are read again if the frame may change them. */
  followKnown(view: ConversationView, mark: number): void {
    for (const list of this.byKey.values()) {
      if (!list.filter.isJudged && list.filter.matches(view)) list.requireRead(mark);
    }
  }

  /** @returns true if the unknown conversation of a frame may belong in a list, so that it has to be read */
  followUnknown(frame: EventFrame, mark: number): boolean {
    const { changed, known } = factsOf(frame);
    let isNeeded = false;
    for (const list of this.byKey.values()) {
      if (!list.filter.mayEnter(changed, known)) continue;
      if (list.filter.isJudged) isNeeded = true;
      else list.requireRead(mark);
    }
    return isNeeded;
  }

  /** Lists of a tag that has another name now are read again. */
  followRename(tag: string, mark: number): void {
    for (const list of this.byKey.values()) {
      const tags = list.query.tag;
      const names = tags === undefined ? [] : typeof tags === 'string' ? [tags] : tags;
      if (names.some(name => tagKey(name) === tagKey(tag))) list.requireRead(mark);
    }
  }

  /** Lists that search contacts are read again. */
  followContacts(mark: number): void {
    for (const list of this.byKey.values()) if (list.query.query !== undefined) list.requireRead(mark);
  }

  requireRead(mark: number): void {
    for (const list of this.byKey.values()) list.requireRead(mark);
  }

  setStale(mark: number): void {
    for (const list of this.byKey.values()) list.setStale(mark);
  }

  publish(): void {
    for (const list of this.byKey.values()) {
      list.publish();
      this.needs.setList(list, list.isNeeded);
    }
  }
}

/** The facts that a frame contains of a conversation: those that it changed, and others. */
function factsOf(frame: EventFrame): { changed: Fields; known: Fields } {
  const known: Fields = 'channel_id' in frame && frame.channel_id ? { channel_id: frame.channel_id } : {};
  switch (frame.type) {
    case 'conversation.updated': {
      const { changes } = frame.data;
      const changed = Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));
      return { changed: changed as Fields, known };
    }
    case 'message.created': {
      const { status, unread, last_activity_at, last_seq } = frame.data.conversation;
      const { sender_type, content_type, private: isPrivate, created_at } = frame.data.message;
      if (content_type === 'event') return { changed: { last_seq }, known: { ...known, status, unread } };
      const waiting = isPrivate ? {} : { waiting_since: sender_type === 'contact' ? created_at : null };
      const changed = { last_seq, last_activity_at, unread, ...waiting };
      return { changed, known: { ...known, status } };
    }
    case 'conversation.read':
      return { changed: frame.data.reader === 'agents' ? { unread: { agents: 0, contact: 0 } } : {}, known };
    case 'message.deleted':
      return { changed: { unread: { agents: 0, contact: 0 } }, known };
    default:
      return { changed: {}, known };
  }
}
