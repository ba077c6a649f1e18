import type { AgentTokens } from './agent-tokens.js';
import { isRecord, parseJson } from './envelope.js';
import type { TokenStore } from './token-store.js';
import { pageStore, type KeyValueStore } from './visitor-identity.js';
import { watchWakeUps } from './wake-up.js';
import { inOneTab } from './web-locks.js';

type StorageListener = (event: { key: string | null }) => void;
interface StorageEvents {
  addEventListener(type: 'storage', listener: StorageListener): void;
  removeEventListener(type: 'storage', listener: StorageListener): void;
}

/**
 * Store of all tabs of a browser: `localStorage`, with a Web Lock around each refresh. A page without storage keeps its
 * tokens in memory. Without Web Locks, which need https, concurrent refreshes rely on the ten seconds within which the
 * service repeats a refresh.
 */
export class PageTokenStore implements TokenStore {
  /** Set while the page's storage cannot be written. */
  private memory: { tokens: AgentTokens | null } | undefined;

  /** @param key one for each dashboard on an origin */
  constructor(private readonly key = 'support-chat:agent') {}

  read(): AgentTokens | null {
    if (this.memory) return this.memory.tokens;
    try {
      const stored = parseJson(pageStore()?.getItem(this.key) ?? '');
      return isTokens(stored) ? stored : null;
    } catch {
      return null;
    }
  }

  write(tokens: AgentTokens | null): void {
    this.memory = { tokens };
    const storage = pageStore();
    if (!storage) return;
    try {
      // One change alone: after a removal, other tabs would find no tokens for a moment, and end their session.
      if (tokens) storage.setItem(this.key, JSON.stringify(tokens));
      else storage.removeItem?.(this.key);
      this.memory = undefined;
    } catch {
      this.removeStored(storage);
    }
  }

  /** The page forbids storage, or it is full: the tokens stay in memory, and no tab may find the old ones. */
  private removeStored(storage: KeyValueStore): void {
    try {
      storage.removeItem?.(this.key);
    } catch {
      // a page that forbids storage stores none
    }
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return inOneTab(this.key, work);
  }

  watch(listener: () => void): () => void {
    if (!pageStore()) return () => undefined;
    const page = globalThis as unknown as StorageEvents;
    const onStorage: StorageListener = ({ key }) => {
      if (key === this.key || key === null) listener();
    };
    page.addEventListener('storage', onStorage);
    // a page in the back-forward cache receives no storage events
    const stopWatching = watchWakeUps(listener);
    return () => {
      page.removeEventListener('storage', onStorage);
      stopWatching();
    };
  }
}

function isTokens(value: unknown): value is AgentTokens {
  return isRecord(value) && typeof value['token'] === 'string' && typeof value['refresh_token'] === 'string';
}
