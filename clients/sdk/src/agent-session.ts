import { ApiError } from './api-error.js';
import type { Credential } from './authorized-api.js';
import type { HttpTransport } from './http.js';
import { singleFlight } from './single-flight.js';
import type { AgentSessionView } from './types.js';

/** What must be kept to stay logged in. */
export type AgentTokens = Pick<AgentSessionView, 'token' | 'refresh_token'>;

/** An agent's two tokens and their renewal. */
export class AgentSession implements Credential {
  private tokens: AgentTokens | undefined;
  private readonly refreshOnce = singleFlight(() => this.refreshed());

  /** @param changed hears of every new pair of tokens, and null when there are none any more */
  constructor(
    private readonly http: HttpTransport,
    private readonly changed: (tokens: AgentTokens | null) => void,
  ) {}

  /** Undefined when nobody is logged in. */
  get present(): AgentTokens | undefined {
    return this.tokens;
  }

  current(): string {
    return this.required().token;
  }

  renew(stale: string): Promise<string> {
    return this.current() === stale ? this.refreshOnce() : Promise.resolve(this.current());
  }

  set(tokens: AgentTokens): void {
    this.tokens = { token: tokens.token, refresh_token: tokens.refresh_token };
    this.changed(this.tokens);
  }

  clear(): void {
    this.tokens = undefined;
    this.changed(null);
  }

  private async refreshed(): Promise<string> {
    const used = this.required();
    const body = { refresh_token: used.refresh_token };
    try {
      const session = await this.http.request<AgentSessionView>({ method: 'POST', path: '/v1/auth/refresh', body });
      // A logout or login in the meantime has the last word.
      if (this.tokens === used) this.set(session);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401 && this.tokens === used) this.clear();
      throw error;
    }
    return this.current();
  }

  private required(): AgentTokens {
    if (this.tokens) return this.tokens;
    throw new ApiError({ status: 401, code: 'unauthenticated', message: 'Nobody is logged in.' });
  }
}
