import type { ApiError, AttachmentView, PreChatAnswers } from '@support-chat/sdk';
import type { SafeStorage } from '../loader/storage.js';
import { backoffMs } from './backoff.js';

/** A message that the service has not confirmed. */
export interface OutboxItem {
  /** The `client_message_id`: sending it twice makes one message. */
  id: string;
  /** Null until the service has made the conversation. */
  conversationId: string | null;
  content: string;
  attachments: AttachmentView[];
  preChat?: PreChatAnswers | undefined;
  /** Waits for the answers to the form. */
  needsAnswers?: boolean | undefined;
  createdAt: string;
  /** Code of the error that ended the attempts. */
  failed?: string | undefined;
}

export interface OutboxOptions {
  storage: SafeStorage;
  /** Each message has a key of its own that begins with it, so that tabs which write at the same time lose nothing. */
  prefix: string;
  /** Sends one message. @returns id of the conversation that has it now, which may be another one */
  send(item: OutboxItem): Promise<string>;
  /** Runs `work` in one tab at a time. */
  exclusive(work: () => Promise<void>): Promise<void>;
  /** The items have changed. */
  changed(): void;
  /** The service has put messages for `from` into the conversation `to`. */
  moved(from: string | null, to: string): void;
  /** Random number from 0 to 1, for tests. */
  random?: (() => number) | undefined;
}

/** Sends messages in their order, one at a time, across losses of the network, reloads and tabs. */
export class Outbox {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: Promise<void> | undefined;
  private attempt = 0;
  private stopped = false;

  constructor(private readonly options: OutboxOptions) {}

  /** Reads the storage each time, because another tab may have changed it. */
  get items(): OutboxItem[] {
    return this.keys().flatMap(key => parse(this.options.storage.get(key)));
  }

  /** Items for a conversation that the service does not have. */
  get first(): OutboxItem[] {
    return this.items.filter(({ conversationId }) => conversationId === null);
  }

  add(item: OutboxItem): void {
    const { prefix } = this.options;
    const last = Number(this.keys().at(-1)?.slice(prefix.length).split(':')[0] ?? 0);
    // as many digits for each time, so that keys sort by it
    this.write(`${prefix}${Math.max(Date.now(), last + 1)}:${item.id}`, item);
    void this.drain();
  }

  /** Sends a failed message again. */
  retry(id: string): void {
    this.change(id, { failed: undefined });
    void this.drain();
  }

  /** Sends a message that has waited for the answers to the form. */
  answer(id: string, preChat: PreChatAnswers): void {
    this.change(id, { preChat, needsAnswers: undefined });
    void this.drain();
  }

  delete(id: string): void {
    this.write(this.keyOf(id), null);
  }

  /** The visitor no longer has these conversations: what waits for them begins a new one. */
  beginAnew(conversationIds: ReadonlySet<string | null>, needsAnswers: boolean): void {
    for (const { id, conversationId } of this.items) {
      if (conversationId === null || !conversationIds.has(conversationId)) continue;
      this.change(id, { conversationId: null, needsAnswers, failed: undefined });
    }
  }

  /** Sends what waits, at once: the network is back, or something new is there. */
  drain(): Promise<void> {
    clearTimeout(this.timer);
    return (this.running ??= this.options
      .exclusive(() => this.sendAll())
      .finally(() => {
        this.running = undefined;
      }));
  }

  /** Ends the attempts. What waits stays in the storage. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async sendAll(): Promise<void> {
    for (let item = this.next(); item && !this.stopped; item = this.next()) {
      try {
        this.confirm(item, await this.options.send(item));
        this.attempt = 0;
      } catch (error) {
        const wait = this.retryDelayMs(error as Partial<ApiError>);
        if (wait !== undefined) return this.drainAfter(wait);
        this.fail(item, error as Partial<ApiError>);
      }
    }
  }

  private next(): OutboxItem | undefined {
    return this.items.find(({ failed, needsAnswers }) => failed === undefined && !needsAnswers);
  }

  /** Later messages for the same conversation follow the first one to where the service has put it. */
  private confirm(sent: OutboxItem, conversationId: string): void {
    const from = sent.conversationId;
    const changes = { conversationId, preChat: undefined, needsAnswers: undefined };
    for (const item of from === conversationId ? [] : this.items) {
      if (item.conversationId === from && item.id !== sent.id) this.change(item.id, changes);
    }
    // the last step: if the page ends before it, the message is sent again, which makes no other one
    this.delete(sent.id);
    if (from !== conversationId) this.options.moved(from, conversationId);
  }

  private fail({ id }: OutboxItem, { code }: Partial<ApiError>): void {
    this.change(id, { failed: code ?? 'unknown' });
  }

  /** @returns undefined if another attempt would fail too */
  private retryDelayMs({ status = 0, code, retryAfter }: Partial<ApiError>): number | undefined {
    if (retryAfter !== undefined && (status === 429 || status >= 500)) return retryAfter * 1000;
    // a session that has ended is replaced
    const isTemporary = [0, 401, 429].includes(status) || status >= 500 || code === 'idempotency_in_progress';
    if (!isTemporary) return undefined;
    return backoffMs(this.attempt++, this.options.random);
  }

  private drainAfter(waitMs: number): void {
    if (!this.stopped) this.timer = setTimeout(() => void this.drain(), waitMs);
  }

  /** Keys of the messages in their order. */
  private keys(): string[] {
    const { storage, prefix } = this.options;
    return storage
      .keys()
      .filter(key => key.startsWith(prefix))
      .sort();
  }

  private keyOf(id: string): string | undefined {
    return this.keys().find(key => key.endsWith(`:${id}`));
  }

  /** Does nothing if another tab has sent or deleted the message. */
  private change(id: string, changes: Partial<OutboxItem>): void {
    const key = this.keyOf(id);
    for (const item of key ? parse(this.options.storage.get(key)) : []) this.write(key, { ...item, ...changes });
  }

  private write(key: string | undefined, item: OutboxItem | null): void {
    if (this.stopped || !key) return;
    this.options.storage.set(key, item && JSON.stringify(item));
    this.options.changed();
  }
}

/** @returns nothing for a value that is no message */
function parse(text: string | null): OutboxItem[] {
  try {
    const item = JSON.parse(text ?? '') as Partial<OutboxItem> | null;
    return item?.id ? [item as OutboxItem] : [];
  } catch {
    return [];
  }
}
