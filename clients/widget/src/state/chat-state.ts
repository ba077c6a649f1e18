import type {
  MessageDraftData,
  Page,
  VisitorConversationView,
  VisitorFrames,
  VisitorMessageView,
} from '@support-chat/sdk';
import { Thread } from './thread.js';

export type VisitorFrame = VisitorFrames[keyof VisitorFrames & string];

export interface Typist {
  name: string | null;
  until: number;
}

/** A draft whose last frame was lost ends after this time. */
const DRAFT_TTL_MS = 30_000;

/** Mark of a response that may be older than another one which has come before it. */
export const UNKNOWN_AGE = -1;

/** Everything that the service has told about the visitor's conversations: by responses and by frames alike. */
export class ChatState {
  readonly threads = new Map<string, Thread>();
  private readonly typists = new Map<string, Map<string, Typist>>();
  private readonly drafts = new Map<string, MessageDraftData & { until: number }>();
  private frames = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** Returns the present moment. Pass it with the response of a request that begins now. */
  mark(): number {
    return this.frames;
  }

  /** Conversations, the latest activity first. */
  get list(): Thread[] {
    const lastAt = ({ view }: Thread) => view.last_message?.created_at ?? view.created_at;
    return [...this.threads.values()].sort((a, b) => (lastAt(a) < lastAt(b) ? 1 : -1));
  }

  get unread(): number {
    return [...this.threads.values()].reduce((sum, { view }) => sum + view.unread.contact, 0);
  }

  /** @param mark of the moment before the request */
  applyConversation(view: VisitorConversationView, mark = this.frames): Thread {
    const thread = this.threads.get(view.id);
    if (!thread) return this.addThread(view);
    thread.replace(view, thread.changedAt <= mark);
    return thread;
  }

  /** Adds a page that ends before the oldest known message, or with the newest one. */
  applyMessages(id: string, page: Page<VisitorMessageView>): void {
    const thread = this.threads.get(id);
    if (!thread) return;
    for (const message of page.items) thread.merge(message);
    thread.older = page.next_cursor;
  }

  /**
   * Drops messages, so that neither a gap nor an old version is shown.
   * @param before drops those with a lower `seq`; default all
   */
  forgetMessages(id: string, before = Infinity): void {
    const thread = this.threads.get(id);
    if (thread)
      Object.assign(thread, { messages: thread.messages.filter(({ seq }) => seq >= before), older: undefined });
  }

  /** @returns the message of the first frame that has it */
  applyFrame(frame: VisitorFrame): VisitorMessageView | undefined {
    this.frames++;
    switch (frame.type) {
      case 'conversation.created':
        this.touch(this.applyConversation(frame.data.conversation));
        return;
      case 'conversation.updated':
        this.applyChanges(frame.data, frame.timestamp ?? '');
        return;
      case 'conversation.read':
        this.applyRead(frame.data);
        return;
      case 'message.created':
        return this.applyCreated(frame.data);
      case 'message.updated':
      case 'message.deleted':
        this.threads.get(frame.data.message.conversation_id)?.merge(frame.data.message);
        return;
      case 'typing':
        this.startTyping(frame.data);
        return;
      case 'typing.stop':
        this.typists.get(frame.data.conversation_id)?.delete(frame.data.sender_id);
        return;
      case 'message.draft':
        this.applyDraft(frame.data);
        return;
      default:
        return;
    }
  }

  /**
   * True if an applied frame may have changed the count of unread messages, or the last message, without telling the new
   * one: a message was unsent, or another tab has read a part of the messages. A conversation that is not known is being
   * read: its response may be older than the frame.
   */
  isBehind(frame: VisitorFrame): boolean {
    if (frame.type !== 'conversation.read') return frame.type === 'message.deleted';
    const { reader, id } = frame.data;
    return reader === 'contact' && this.threads.get(id)?.view.unread.contact !== 0;
  }

  /** People and bots that are typing now. */
  typing(id: string): Typist[] {
    return [...(this.typists.get(id)?.values() ?? [])].filter(({ until }) => until > this.now());
  }

  /** The message that a bot is writing now. */
  draft(id: string): MessageDraftData | undefined {
    const draft = this.drafts.get(id);
    if (!draft || draft.until <= this.now()) return undefined;
    const isStored = this.threads.get(id)?.messages.some(({ metadata }) => metadata['draft_id'] === draft.draft_id);
    return isStored ? undefined : draft;
  }

  private addThread(view: VisitorConversationView): Thread {
    const thread = new Thread(view);
    this.threads.set(view.id, thread);
    return thread;
  }

  private touch(thread: Thread): void {
    thread.changedAt = this.frames;
  }

  private applyChanges({ id, changes }: VisitorFrames['conversation.updated']['data'], timestamp: string): void {
    const thread = this.threads.get(id);
    if (!thread) return;
    const fields = Object.entries(changes).map(([field, change]) => [field, (change as { to: unknown }).to]);
    this.touch(thread);
    thread.patch(Object.fromEntries(fields) as Partial<VisitorConversationView>, timestamp);
  }

  private applyRead({ id, reader, last_read_seq }: VisitorFrames['conversation.read']['data']): void {
    const thread = this.threads.get(id);
    if (!thread) return;
    if (reader === 'agents') thread.seenSeq = Math.max(thread.seenSeq, last_read_seq);
    else if (last_read_seq >= thread.view.last_seq) this.markRead(id);
  }

  /** Counts nothing as unread any more. */
  markRead(id: string): void {
    const thread = this.threads.get(id);
    if (!thread || thread.view.unread.contact === 0) return;
    this.touch(thread);
    thread.view = { ...thread.view, unread: { ...thread.view.unread, contact: 0 } };
  }

  private applyCreated(data: VisitorFrames['message.created']['data']): VisitorMessageView | undefined {
    const { message, conversation } = data;
    const thread = this.threads.get(message.conversation_id);
    this.typists.get(message.conversation_id)?.delete(message.sender_id);
    if (!thread) return message;
    thread.merge(message);
    // a read may have brought it before its frame
    const isNew = message.seq > thread.receivedSeq;
    thread.receivedSeq = Math.max(thread.receivedSeq, message.seq);
    // a response that has it is at least as new
    if (conversation.last_seq > thread.view.last_seq) {
      this.touch(thread);
      const { status, last_seq, unread } = conversation;
      const last_message = message.content_type === 'event' ? thread.view.last_message : summaryOf(message);
      thread.view = { ...thread.view, status, last_seq, unread, last_message } as VisitorConversationView;
    }
    return isNew ? message : undefined;
  }

  private startTyping(data: VisitorFrames['typing']['data']): void {
    const { conversation_id, sender_id, sender_type, name, expires_in_ms } = data;
    if (sender_type === 'contact') return;
    const typists = this.typists.get(conversation_id) ?? new Map<string, Typist>();
    this.typists.set(conversation_id, typists.set(sender_id, { name, until: this.now() + expires_in_ms }));
  }

  private applyDraft(draft: MessageDraftData): void {
    const { conversation_id, draft_id, state } = draft;
    if (state !== 'cancelled') this.drafts.set(conversation_id, { ...draft, until: this.now() + DRAFT_TTL_MS });
    else if (this.drafts.get(conversation_id)?.draft_id === draft_id) this.drafts.delete(conversation_id);
  }
}

export function summaryOf({ id, content, attachments, sender_type, created_at }: VisitorMessageView) {
  const preview = (content ?? `📎 ${attachments[0]?.name ?? ''}`).slice(0, 200);
  return { id, preview, sender_type, created_at };
}
