import type { Connection } from '../connection.js';
import type { VisitorStorage } from './visitor-storage.js';

const TYPING_EVERY_MS = 3_000;

/** Texts that the visitor has not sent, and the typing signals to agents. */
export class Drafts {
  private typingAt = 0;
  private typingIn: string | null = null;

  constructor(
    private readonly storage: VisitorStorage,
    private readonly connection: Connection,
    private readonly showsTyping: boolean,
  ) {}

  /** @param id of the conversation, null for a new one */
  get(id: string | null): string {
    return this.storage.get(keyOf(id)) ?? '';
  }

  set(id: string | null, text: string): void {
    this.storage.set(keyOf(id), text || null);
    if (!text) this.stopTyping();
    else if (id) this.startTyping(id);
  }

  stopTyping(): void {
    if (this.typingIn) this.connection.sendTyping(this.typingIn, false);
    this.typingIn = null;
    this.typingAt = 0;
  }

  private startTyping(id: string): void {
    if (!this.showsTyping || Date.now() - this.typingAt < TYPING_EVERY_MS) return;
    this.typingAt = Date.now();
    this.typingIn = id;
    this.connection.sendTyping(id, true);
  }
}

const keyOf = (id: string | null): string => `draft:${id ?? 'new'}`;
