import { ApiError } from './api-error.js';
import type { Call, HttpTransport } from './http.js';

/** Where calls take their credential from. */
export interface Credential {
  /** @throws ApiError `unauthenticated` where nobody is logged in. */
  current(): string;
  /**
   * A token that is newer than `stale`. Callers that come at once share one renewal, and one whose `stale` has been
   * replaced in the meantime gets the replacement. Absent where a credential cannot be renewed.
   */
  renew?(stale: string): Promise<string>;
}

/** Calls with a credential. It is renewed on `token_expired` only: any other 401 stays true with a new token. */
export class AuthorizedApi {
  constructor(
    private readonly http: HttpTransport,
    private readonly credential: Credential,
  ) {}

  get<T>(path: string, query?: object): Promise<T> {
    return this.call({ method: 'GET', path, query });
  }

  post<T>(path: string, body?: object, more: Pick<Call, 'headers' | 'repeatable' | 'query'> = {}): Promise<T> {
    return this.call({ method: 'POST', path, body, ...more });
  }

  patch<T>(path: string, body: object): Promise<T> {
    return this.call({ method: 'PATCH', path, body });
  }

  delete<T>(path: string, query?: object): Promise<T> {
    return this.call({ method: 'DELETE', path, query });
  }

  private async call<T>(call: Call): Promise<T> {
    const token = this.credential.current();
    try {
      return await this.http.request<T>(call, token);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'token_expired' || !this.credential.renew) throw error;
      return this.http.request<T>(call, await this.credential.renew(token));
    }
  }
}
