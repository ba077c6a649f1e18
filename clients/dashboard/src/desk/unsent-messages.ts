import type { PendingMessage } from '../store/pending-messages.js';

const MAX_KEPT = 50;

/** The part of `localStorage` that is used. */
export interface OutboxStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * The unsent messages of a member in the browser's storage, which all tabs share. A tab changes only what it has written
 * or read itself, so that no tab removes a message of another.
 */
export class UnsentMessages {
  private readonly ownIds = new Set<string>();
  private readonly key: string;

  /** @param storage undefined if the browser stores nothing */
  constructor(
    memberId: string,
    private readonly storage: OutboxStorage | undefined,
  ) {
    this.key = `support-chat:outbox:${memberId}`;
  }

  /** The messages of all tabs. They belong to this one too from now on. */
  adopt(): PendingMessage[] {
    const stored = this.read();
    for (const { body } of stored) this.ownIds.add(body.client_message_id);
    return stored;
  }

  /** Replaces what belongs to this tab. */
  write(pending: readonly PendingMessage[]): void {
    const others = this.read().filter(({ body }) => !this.ownIds.has(body.client_message_id));
    for (const { body } of pending) this.ownIds.add(body.client_message_id);
    const kept = [...others, ...pending.map(({ error, ...message }) => message)].slice(-MAX_KEPT);
    try {
      if (kept.length === 0) this.storage?.removeItem(this.key);
      else this.storage?.setItem(this.key, JSON.stringify(kept));
    } catch {
      // a full storage: the messages live as long as this page
    }
  }

  forget(): void {
    this.storage?.removeItem(this.key);
  }

  private read(): PendingMessage[] {
    try {
      const stored: unknown = JSON.parse(this.storage?.getItem(this.key) ?? '[]');
      return Array.isArray(stored) ? (stored as PendingMessage[]) : [];
    } catch {
      return [];
    }
  }
}
