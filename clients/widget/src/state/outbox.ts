import type { ApiError, AttachmentView, PreChatAnswers } from '@support-chat/sdk';

/** A message that the service has not confirmed. */
export interface OutboxItem {
  /** The `client_message_id`: sending it twice makes one message. */
  id: string;
  /** Null until the service has made the conversation. */
  conversationId: string | null;
  content: string;
  attachments: AttachmentView[];
  preChat?: PreChatAnswers | undefined;
  createdAt: string;
  /** Code of the error that ended the attempts. */
  failed?: string | undefined;
}

export interface OutboxOptions {
  storage: { get(key: string): string | null; set(key: string, value: string): void };
  /** Key in `storage`. */
  key: string;
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

const RETRY = { baseMs: 1_000, capMs: 30_000 };

/** Sends messages in their order, one at a time, across losses of the network, reloads and tabs. */
export class Outbox {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: Promise<void> | undefined;
  private attempt = 0;
  private stopped = false;

  constructor(private readonly options: OutboxOptions) {}

  /** Reads the storage each time, because another tab may have changed it. */
  get items(): OutboxItem[] {
    try {
      const items: unknown = JSON.parse(this.options.storage.get(this.options.key) ?? '[]');
      return Array.isArray(items) ? (items as OutboxItem[]) : [];
    } catch {
      return [];
    }
  }

  /** Items for a conversation that the service does not have. */
  get first(): OutboxItem[] {
    return this.items.filter(({ conversationId }) => conversationId === null);
  }

  add(item: OutboxItem): void {
    this.write([...this.items, item]);
    void this.drain();
  }

  /** Sends a failed message again. */
  retry(id: string): void {
    this.write(this.items.map(item => (item.id === id ? { ...item, failed: undefined } : item)));
    void this.drain();
  }

  delete(id: string): void {
    this.write(this.items.filter(item => item.id !== id));
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
    return this.items.find(({ failed }) => failed === undefined);
  }

  /** Later messages for the same conversation follow the first one to where the service has put it. */
  private confirm(sent: OutboxItem, conversationId: string): void {
    const from = sent.conversationId;
    const rest = this.items.filter(({ id }) => id !== sent.id);
    this.write(
      rest.map(item => (item.conversationId === from ? { ...item, conversationId, preChat: undefined } : item)),
    );
    if (from !== conversationId) this.options.moved(from, conversationId);
  }

  private fail({ id }: OutboxItem, { code }: Partial<ApiError>): void {
    this.write(this.items.map(item => (item.id === id ? { ...item, failed: code ?? 'unknown' } : item)));
  }

  /** @returns undefined if another attempt would fail too */
  private retryDelayMs({ status = 0, code, retryAfter }: Partial<ApiError>): number | undefined {
    if (retryAfter !== undefined && (status === 429 || status >= 500)) return retryAfter * 1000;
    const isTemporary = status === 0 || status === 429 || status >= 500 || code === 'idempotency_in_progress';
    if (!isTemporary) return undefined;
    const limit = Math.min(RETRY.capMs, RETRY.baseMs * 2 ** this.attempt++);
    return (0.5 + (this.options.random ?? Math.random)() / 2) * limit;
  }

  private drainAfter(waitMs: number): void {
    if (!this.stopped) this.timer = setTimeout(() => void this.drain(), waitMs);
  }

  private write(items: OutboxItem[]): void {
    if (this.stopped) return;
    this.options.storage.set(this.options.key, JSON.stringify(items));
    this.options.changed();
  }
}
