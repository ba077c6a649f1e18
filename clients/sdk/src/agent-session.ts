import type { AgentTokens } from './agent-tokens.js';
import { ApiError } from './api-error.js';
import type { Credential } from './authorized-api.js';
import { isRecord, parseJson } from './envelope.js';
import type { HttpTransport } from './http.js';
import { singleFlight } from './single-flight.js';
import { MemoryTokenStore, type TokenStore } from './token-store.js';
import type { AgentSessionView } from './types.js';

/** Holder of an agent's two tokens; renews them. Other clients may renew the tokens of its store too. */
export class AgentSession implements Credential {
  private tokens: AgentTokens | undefined;
  /** The last token names the member, also after the session has ended. */
  private lastToken: string | undefined;
  private readonly refreshOnce = singleFlight(() => this.store.exclusive(() => this.refresh()));

  /** @param onChange receives every new pair of tokens, and null when the session ends */
  constructor(
    private readonly http: HttpTransport,
    private readonly onChange: (tokens: AgentTokens | null) => void,
    private readonly store: TokenStore = new MemoryTokenStore(),
  ) {
    this.use(store.read() ?? undefined);
    store.watch?.(() => this.synchronize());
  }

  /** Undefined when nobody is logged in. */
  get storedTokens(): AgentTokens | undefined {
    return this.tokens;
  }

  /** Undefined before a login and after a logout. */
  get id(): string | undefined {
    const id = this.tokens && readClaim(this.tokens.token, 'sid');
    return typeof id === 'string' ? id : undefined;
  }

  current(): string {
    return this.requireTokens().token;
  }

  renew(stale: string): Promise<string> {
    return this.current() === stale ? this.refreshOnce() : Promise.resolve(this.current());
  }

  set(tokens: AgentTokens): void {
    const pair = { token: tokens.token, refresh_token: tokens.refresh_token };
    this.use(pair);
    this.store.write(pair);
    this.onChange(pair);
  }

  /** Ends the session for all clients of the store, unless another member has logged in there. */
  clear(): void {
    const stored = this.store.read();
    this.use(undefined);
    if (stored && this.isOfMember(stored)) this.store.write(null);
    this.onChange(null);
  }

  /**
   * Adopts the tokens of the store, or ends the session here if they are gone or another member's.
   * @returns true if there was a change
   */
  synchronize(): boolean {
    const stored = this.store.read() ?? undefined;
    if (stored?.token === this.tokens?.token) return false;
    const adopted = stored && this.isOfMember(stored) ? stored : undefined;
    const isChange = adopted !== this.tokens;
    this.use(adopted);
    if (isChange) this.onChange(adopted ?? null);
    return true;
  }

  private async refresh(): Promise<string> {
    if (this.synchronize() && !hasExpired(this.current())) return this.current();
    const used = this.requireTokens();
    const body = { refresh_token: used.refresh_token };
    try {
      const session = await this.http.request<AgentSessionView>({ method: 'POST', path: '/v1/auth/refresh', body });
      // A logout or login during the refresh wins, also one of another client.
      this.synchronize();
      if (this.tokens === used) this.set(session);
    } catch (error) {
      this.synchronize();
      if (error instanceof ApiError && error.status === 401 && this.tokens === used) this.clear();
      throw error;
    }
    return this.current();
  }

  private use(tokens: AgentTokens | undefined): void {
    this.tokens = tokens;
    this.lastToken = tokens?.token ?? this.lastToken;
  }

  /** Two members in one client would mix their data. */
  private isOfMember({ token }: AgentTokens): boolean {
    return this.lastToken === undefined || readClaim(token, 'sub') === readClaim(this.lastToken, 'sub');
  }

  private requireTokens(): AgentTokens {
    if (this.tokens) return this.tokens;
    throw new ApiError({ status: 401, code: 'unauthenticated', message: 'Nobody is logged in.' });
  }
}

function hasExpired(token: string): boolean {
  return Number(readClaim(token, 'exp')) * 1000 <= Date.now();
}

/** Reads a claim of a JWT without verifying it; undefined for any other text. */
function readClaim(token: string, name: string): unknown {
  const payload = token.split('.')[1] ?? '';
  try {
    const claims = parseJson(atob(payload.replace(/-/g, '+').replace(/_/g, '/')));
    return isRecord(claims) ? claims[name] : undefined;
  } catch {
    return undefined;
  }
}
