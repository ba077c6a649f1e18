import type { AgentTokens } from './agent-tokens.js';

/**
 * Tokens that several clients share, such as the tabs of a browser. A refresh token is valid once: a client that used an
 * old one would end the session of all.
 */
export interface TokenStore {
  /** @returns null before a login and after a logout */
  read(): AgentTokens | null;
  write(tokens: AgentTokens | null): void;
  /** Runs `work` while no other client of the store does. The SDK refreshes tokens in it. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  /** Calls the listener after another client has written. Without it, clients notice at their next refresh. */
  watch?(listener: () => void): () => void;
}

/** Store of one process, and the default. */
export class MemoryTokenStore implements TokenStore {
  private tokens: AgentTokens | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private readonly listeners = new Set<() => void>();

  read(): AgentTokens | null {
    return this.tokens;
  }

  write(tokens: AgentTokens | null): void {
    this.tokens = tokens;
    for (const listener of this.listeners) listener();
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const run = this.last.then(work);
    this.last = run.catch(() => undefined);
    return run;
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
