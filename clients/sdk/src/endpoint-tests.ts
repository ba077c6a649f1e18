import { AuthorizedApi, type Credential } from './authorized-api.js';
import { HttpTransport, type HttpOptions } from './http.js';

/** A test of a bot or a webhook ends when their server has answered, for which the service waits at most 30 s. */
const TIMEOUT_MS = 40_000;

/** Returns the API for such tests, which waits longer than other calls. */
export function endpointTestApi(baseUrl: string, options: HttpOptions, credential: Credential): AuthorizedApi {
  const timeoutMs = Math.max(options.timeoutMs ?? 0, TIMEOUT_MS);
  return new AuthorizedApi(new HttpTransport(baseUrl, { ...options, timeoutMs }), credential);
}
