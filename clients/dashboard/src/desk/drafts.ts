import { SignalMap } from '../store/signal-map.js';

/** The purpose of a text: an answer to the contact, or a note for the team. */
export type Mode = 'reply' | 'note';

export interface Draft {
  text: string;
  /** Members that the note mentions. */
  mentions: readonly string[];
  /** The message that it answers. */
  replyToId?: string | undefined;
}

type StoredDraft = Draft & { at: number };
type Stored = Record<string, StoredDraft>;

const MAX_KEPT = 200;
const STORE_AFTER_MS = 300;
const EMPTY: Draft = { text: '', mentions: [] };

/** The part of a window that drafts listen to. */
type Page = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;

/**
 * Unsent texts by conversation and mode. They survive a reload, and end with the sign-out. Storage keeps the latest 200;
 * what it refuses lives as long as the page.
 */
export class Drafts {
  private readonly drafts = new SignalMap<StoredDraft>();
  /** Keys that are newer here than in storage. */
  private readonly unstored = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param storage undefined if the browser stores nothing */
  constructor(
    private readonly memberId: string,
    private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined,
  ) {
    this.adopt(this.read());
  }

  private get key(): string {
    return `support-chat:drafts:${this.memberId}`;
  }

  /** Stores the drafts when the page is left, and adopts those of other tabs. @returns the end of it */
  listen(page: Page): () => void {
    const store = () => this.store();
    const adopt = (event: Event) => {
      if ((event as Partial<Record<'key', string | null>>).key === this.key) this.adopt(this.read());
    };
    page.addEventListener('pagehide', store);
    page.addEventListener('storage', adopt);
    return () => {
      store();
      page.removeEventListener('pagehide', store);
      page.removeEventListener('storage', adopt);
    };
  }

  of(conversationId: string, mode: Mode): Draft {
    return this.drafts.get(keyOf(conversationId, mode)).value ?? EMPTY;
  }

  has(conversationId: string): boolean {
    const { drafts } = this;
    return (['reply', 'note'] as const).some(mode => drafts.get(keyOf(conversationId, mode)).value !== undefined);
  }

  /** Conversations that have one. */
  conversationIds(): string[] {
    return [...new Set(this.drafts.keys().map(key => key.split(' ')[0] ?? ''))];
  }

  set(conversationId: string, mode: Mode, draft: Draft): void {
    const key = keyOf(conversationId, mode);
    if (draft.text === '' && draft.replyToId === undefined) this.drafts.delete(key);
    else this.drafts.set(key, { ...draft, at: Date.now() });
    this.unstored.add(key);
    this.timer ??= setTimeout(() => this.store(), STORE_AFTER_MS);
  }

  /** Removes the texts of a conversation. */
  remove(conversationId: string): void {
    for (const mode of ['reply', 'note'] as const) {
      if (this.drafts.peek(keyOf(conversationId, mode))) this.set(conversationId, mode, EMPTY);
    }
  }

  /** Forgets all, such as at a sign-out. */
  forget(): void {
    clearTimeout(this.timer);
    this.unstored.clear();
    this.drafts.clear();
    this.storage?.removeItem(this.key);
  }

  /** Writes what has changed. Another tab may have written other drafts meanwhile, which stay. */
  private store(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.unstored.size === 0) return;
    const stored = this.read();
    for (const key of this.unstored) {
      const draft = this.drafts.peek(key);
      if (draft) stored[key] = draft;
      else delete stored[key];
    }
    const latest = Object.entries(stored).sort(([, a], [, b]) => b.at - a.at);
    try {
      this.storage?.setItem(this.key, JSON.stringify(Object.fromEntries(latest.slice(0, MAX_KEPT))));
      this.unstored.clear();
    } catch {
      // a full storage: the drafts live as long as this page, and are tried again with the next change
    }
  }

  private adopt(stored: Stored): void {
    for (const key of this.drafts.keys()) {
      if (!(key in stored) && !this.unstored.has(key)) this.drafts.delete(key);
    }
    for (const [key, draft] of Object.entries(stored)) {
      if (this.unstored.has(key)) continue;
      const known = this.drafts.peek(key);
      if (known?.text !== draft.text || known.replyToId !== draft.replyToId) this.drafts.set(key, draft);
    }
  }

  private read(): Stored {
    try {
      return JSON.parse(this.storage?.getItem(this.key) ?? '{}') as Stored;
    } catch {
      return {};
    }
  }
}

function keyOf(conversationId: string, mode: Mode): string {
  return `${conversationId} ${mode}`;
}
