import type { ConversationView, MessageView } from '@support-chat/sdk';
import type { ConversationList } from '../../clients/dashboard/src/store/conversation-list.js';
import type { EventFrame } from '../../clients/dashboard/src/store/frame-log.js';
import { Store } from '../../clients/dashboard/src/store/store.js';
import type { ListFilter } from '../../clients/dashboard/src/store/view-filter.js';
import { PlayService, type PlayList } from './play-service.js';

export const ME = 'm1';

const EVERYTHING: PlayList = {
  matches: () => true,
  keyOf: view => `${view.last_activity_at} ${view.id}`,
  descending: true,
};

/** A service, a store, and between them the frames that the store has not received. */
export class StoreScene {
  readonly service = new PlayService();
  store = new Store(ME);
  private sent = 0;

  /** A conversation with one message of its contact. */
  start(name = 'Ann'): string {
    const id = this.service.create(name, 'ch1', true);
    this.service.contactWrites(id, 'hello');
    this.service.pass(1_000);
    return id;
  }

  /** Frames since the last time. */
  frames(): EventFrame[] {
    const frames = structuredClone(this.service.frames.slice(this.sent));
    this.sent = this.service.frames.length;
    return frames;
  }

  /** Loses the frames since the last time. */
  skip(): void {
    this.sent = this.service.frames.length;
  }

  /** The page is loaded again, and begins with a snapshot. The frames since the last time are lost. */
  reload(list: ConversationList): void {
    const snapshot = structuredClone(this.store.snapshot(list));
    this.skip();
    this.store = new Store(ME);
    this.store.restore(snapshot);
  }

  deliver(): void {
    this.store.apply(...this.frames());
  }

  /** Reads conversations that are not known yet, without the frames before. */
  read(...ids: string[]): void {
    const mark = this.store.mark();
    this.skip();
    this.store.applyConversations(
      ids.map(id => this.service.get(id)!),
      mark,
    );
  }

  /** Reads the newest messages. */
  readThread(id: string): void {
    const range = { limit: 50 };
    const mark = this.store.mark();
    this.store.watch(id);
    this.store.thread(id);
    this.store.applyMessages(id, this.service.read(id, range)!, range, mark);
  }

  /** Opens a list and reads its first page. */
  openList(filter: ListFilter, playList: Partial<PlayList> = {}, limit = 50) {
    const list = this.store.list(filter);
    const mark = this.store.mark();
    const page = this.service.list({ ...EVERYTHING, ...playList }, undefined, limit);
    this.store.applyList(list, page, { cursor: undefined, mark });
    return list;
  }

  shown(id: string): ConversationView | undefined {
    return this.store.conversation(id).peek();
  }

  /** Puts a message into the outbox. */
  write(id: string, clientMessageId: string, error?: unknown): void {
    const body = { client_message_id: clientMessageId, content: 'Dear Ann' };
    this.store.pending.put({ conversationId: id, body, attachments: [], createdAt: this.service.now, error });
  }

  pendingIds(id: string): string[] {
    return (this.store.pending.of(id).peek() ?? []).map(({ body }) => body.client_message_id);
  }

  texts(id: string): (string | null)[] {
    return this.messages(id).map(({ content }) => content);
  }

  messages(id: string): readonly MessageView[] {
    return this.store.thread(id).messages.peek();
  }

  neededIds(): string[] {
    return [...this.store.needs.conversations.peek()];
  }
}
