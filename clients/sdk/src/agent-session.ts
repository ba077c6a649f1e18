import { ApiError } from './api-error.js';
import type { Credential } from './authorized-api.js';
import type { HttpTransport } from './http.js';
import { singleFlight } from './single-flight.js';
import type { AgentSessionView } from './types.js';

/** Tokens to store in order to stay logged in. */
export type AgentTokens = Pick<AgentSessionView, 'token' | 'refresh_token'>;

/** Holder of an agent's two tokens; renews them. */
export class AgentSession implements Credential {
  private tokens: AgentTokens | undefined;
  private readonly refreshOnce = singleFlight(() => this.refresh());

  /** @param onChange receives every new pair of tokens, and null when the session ends */
  constructor(
    private readonly http: HttpTransport,
    private readonly onChange: (tokens: AgentTokens | null) => void,
  ) {}

  /** Undefined when nobody is logged in. */
  get storedTokens(): AgentTokens | undefined {
    return this.tokens;
  }

  current(): string {
    return this.requireTokens().token;
  }

  renew(stale: string): Promise<string> {
    return this.current() === stale ? this.refreshOnce() : Promise.resolve(this.current());
  }

  set(tokens: AgentTokens): void {
    this.tokens = { token: tokens.token, refresh_token: tokens.refresh_token };
    this.onChange(this.tokens);
  }

  clear(): void {
    this.tokens = undefined;
    this.onChange(null);
  }

  private async refresh(): Promise<string> {
    const used = this.requireTokens();
    const body = { refresh_token: used.refresh_token };
    try {
      const session = await this.http.request<AgentSessionView>({ method: 'POST', path: '/v1/auth/refresh', body });
      // A logout or login during the refresh wins.
      if (this.tokens === used) this.set(session);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401 && this.tokens === used) this.clear();
      throw error;
    }
    return this.current();
  }

  private requireTokens(): AgentTokens {
    if (this.tokens) return this.tokens;
    throw new ApiError({ status: 401, code: 'unauthenticated', message: 'Nobody is logged in.' });
  }
}
