import { ApiError } from './api-error.js';
import type { Call, HttpTransport } from './http.js';
import type { UploadOptions } from './upload.js';

/** Source of the token for calls. */
export interface Credential {
  /** @throws ApiError `unauthenticated` when nobody is logged in */
  current(): string;
  /**
   * Returns a newer token than `stale`. Concurrent callers share one renewal; if `stale` was already replaced, the
   * caller gets the replacement. Undefined for a credential that cannot be renewed.
   */
  renew?(stale: string): Promise<string>;
}

/** Sends calls with a credential. Renews it on `token_expired` only: with any other 401 a new token fails too. */
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

  /** Uploads one file. */
  upload<T>(path: string, file: Blob, options: UploadOptions): Promise<T> {
    return this.call({ method: 'POST', path, upload: { file, options } });
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
