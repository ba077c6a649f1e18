import {
  ApiError,
  type AgentClient,
  type AgentMessageBody,
  type AttachmentView,
  type MessageView,
  uuid,
} from '@support-chat/sdk';
import type { PendingMessage } from '../store/pending-messages.js';
import type { Store } from '../store/store.js';
import { UnsentMessages, type OutboxStorage } from './unsent-messages.js';

/** Error of a message that waits because a colleague has answered since it was written. */
export const MOVED = 'conversation_moved';

const RETRY_AFTER_MS = 4_000;

/**
 * Sends the member's messages: those of one conversation one after the other, each again until the service has it or
 * refuses it. Unsent ones survive a reload. A repeated attempt creates no second message.
 */
export class Outbox {
  /** By conversation: resolved when its messages are sent, or wait for the connection. */
  private readonly working = new Map<string, Promise<void>>();
  /** By `client_message_id`: called when the service has the message. */
  private readonly followUps = new Map<string, () => void>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  private readonly unsent: UnsentMessages;

  /** @param storage undefined if the browser stores nothing */
  constructor(
    private readonly agent: AgentClient,
    private readonly store: Store,
    private readonly memberId: string,
    storage: OutboxStorage | undefined,
  ) {
    this.unsent = new UnsentMessages(memberId, storage);
    store.pending.onConfirm = id => this.finish(id);
  }

  /**
   * Shows the message at once, and sends it.
   * @param onSent called when the service has it, unless it refuses it first
   */
  send(
    conversationId: string,
    body: AgentMessageBody,
    attachments: readonly AttachmentView[] = [],
    onSent?: () => void,
  ): void {
    const clientMessageId = body.client_message_id ?? uuid();
    if (onSent) this.followUps.set(clientMessageId, onSent);
    this.store.pending.put({
      conversationId,
      body: { ...body, client_message_id: clientMessageId },
      attachments,
      createdAt: new Date().toISOString(),
    });
    this.keep();
    void this.workOn(conversationId);
  }

  /** Sends a refused message again, whatever was answered since. */
  retry({ error, ...message }: PendingMessage): void {
    const { expected_last_seq, ...body } = message.body;
    this.store.pending.put({ ...message, body });
    this.keep();
    void this.workOn(message.conversationId);
  }

  discard({ conversationId, body }: PendingMessage): void {
    this.store.pending.remove(conversationId, body.client_message_id);
    this.keep();
  }

  /** Continues with what former pages have not sent. */
  open(): void {
    for (const message of this.unsent.adopt()) this.store.pending.put(message);
    this.work();
  }

  /** Sends what waits for the connection. */
  work(): void {
    clearTimeout(this.timer);
    for (const id of new Set(this.store.pending.all().map(({ conversationId }) => conversationId)))
      void this.workOn(id);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** Writes the unsent messages to the browser's storage. */
  keep(): void {
    this.unsent.write(this.store.pending.all());
  }

  /** Forgets everything, such as at a sign-out. */
  forget(): void {
    this.close();
    this.unsent.forget();
  }

  /**
   * Waits for the messages that are on their way, but not for those that wait for the connection.
   * @returns false if there were none
   */
  async settle(conversationId: string): Promise<boolean> {
    const running = this.working.get(conversationId);
    await running;
    return running !== undefined;
  }

  private workOn(conversationId: string): Promise<void> {
    const running = this.working.get(conversationId);
    if (running) return running;
    const first = this.nextOf(conversationId);
    if (!first) return Promise.resolve();
    const work = this.sendAll(conversationId, first);
    this.working.set(conversationId, work);
    return work;
  }

  private async sendAll(conversationId: string, first: PendingMessage): Promise<void> {
    try {
      let next: PendingMessage | undefined = first;
      while (next && !this.isClosed && (await this.attempt(next))) next = this.nextOf(conversationId);
    } finally {
      this.working.delete(conversationId);
    }
  }

  /** Refused messages do not stop those after them. */
  private nextOf(conversationId: string): PendingMessage | undefined {
    return this.store.pending
      .of(conversationId)
      .peek()
      ?.find(({ error }) => error === undefined);
  }

  /** @returns false if it has to wait for the connection */
  private async attempt(message: PendingMessage): Promise<boolean> {
    try {
      const stored = await this.agent.conversations.send(message.conversationId, message.body);
      if (this.isClosed) return true;
      this.store.applyMessage(stored);
      return true;
    } catch (error) {
      // a frame has confirmed it, and only the response was lost
      if (!this.store.pending.has(message)) return true;
      if (error instanceof ApiError && error.code === MOVED) return await this.handleMoved(message, error);
      if (!(error instanceof ApiError) || isRefusal(error)) {
        this.refuse(message, error);
        return true;
      }
      const waitMs = error.retryAfter === undefined ? RETRY_AFTER_MS : error.retryAfter * 1_000;
      clearTimeout(this.timer);
      if (!this.isClosed) this.timer = setTimeout(() => this.work(), waitMs);
      return false;
    }
  }

  /** The service has the message. */
  private finish(clientMessageId: string): void {
    if (this.isClosed) return;
    this.keep();
    this.followUps.get(clientMessageId)?.();
    this.followUps.delete(clientMessageId);
  }

  /** Only an answer of somebody else stops a reply; more lines of the contact do not. */
  private async handleMoved(message: PendingMessage, error: ApiError): Promise<boolean> {
    const after = message.body.expected_last_seq ?? 0;
    const range = { after_seq: after, limit: 200 };
    const mark = this.store.mark();
    try {
      const page = await this.agent.conversations.messages(message.conversationId, range);
      this.store.applyMessages(message.conversationId, page, range, mark);
      if (!this.store.pending.has(message)) return true;
      const last = page.items.at(-1);
      const isAnswered = page.items.some(item => this.isAnswerOfOthers(item));
      if (last && !isAnswered) {
        this.store.pending.put({ ...message, body: { ...message.body, expected_last_seq: last.seq } });
        return true;
      }
    } catch {
      // what came in between is unknown, so the person decides
    }
    this.refuse(message, error);
    return true;
  }

  private refuse(message: PendingMessage, error: unknown): void {
    this.followUps.delete(message.body.client_message_id);
    this.store.pending.put({ ...message, error });
    this.keep();
  }

  private isAnswerOfOthers({ sender_type, sender_id, private: isPrivate, content_type }: MessageView): boolean {
    if (isPrivate || content_type === 'event' || sender_type === 'contact') return false;
    return sender_id !== this.memberId;
  }
}

/** True if the same request would be refused again. */
function isRefusal(error: ApiError): boolean {
  return error.status >= 400 && !error.transient && error.status !== 429;
}
