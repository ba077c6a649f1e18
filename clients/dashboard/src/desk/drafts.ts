import { signal, type ReadonlySignal } from '@preact/signals';

/** The purpose of a text: an answer to the contact, or a note for the team. */
export type Mode = 'reply' | 'note';

export interface Draft {
  text: string;
  /** Members that the note mentions. */
  mentions: readonly string[];
}

type Stored = Record<string, Draft & { at: number }>;

const MAX_KEPT = 200;
const EMPTY: Draft = { text: '', mentions: [] };

/** Unsent texts by conversation and mode. They survive a reload, and end with the sign-out. */
export class Drafts {
  private readonly stored = signal<Stored>({});

  /** @param storage undefined if the browser stores nothing */
  constructor(
    private readonly memberId: string,
    private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined,
  ) {
    this.stored.value = this.read();
  }

  private get key(): string {
    return `support-chat:drafts:${this.memberId}`;
  }

  get all(): ReadonlySignal<Stored> {
    return this.stored;
  }

  of(conversationId: string, mode: Mode): Draft {
    return this.stored.value[`${conversationId} ${mode}`] ?? EMPTY;
  }

  has(conversationId: string): boolean {
    const { value } = this.stored;
    return `${conversationId} reply` in value || `${conversationId} note` in value;
  }

  set(conversationId: string, mode: Mode, draft: Draft): void {
    // another tab may have written others meanwhile
    const { [`${conversationId} ${mode}`]: _before, ...others } = this.read();
    const kept = Object.entries(others)
      .sort(([, a], [, b]) => b.at - a.at)
      .slice(0, MAX_KEPT - 1);
    const next: Stored = Object.fromEntries(kept);
    if (draft.text !== '') next[`${conversationId} ${mode}`] = { ...draft, at: Date.now() };
    this.stored.value = next;
    try {
      this.storage?.setItem(this.key, JSON.stringify(next));
    } catch {
      // a full storage: the drafts live as long as this page
    }
  }

  /** Forgets all, such as at a sign-out. */
  forget(): void {
    this.stored.value = {};
    this.storage?.removeItem(this.key);
  }

  private read(): Stored {
    try {
      const text = this.storage?.getItem(this.key);
      return text ? (JSON.parse(text) as Stored) : this.stored.peek();
    } catch {
      return this.stored.peek();
    }
  }
}
