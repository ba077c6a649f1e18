import { queryString } from './addresses.js';
import { ApiError } from './api-error.js';
import { fullJitter, sleep } from './backoff.js';
import { openEnvelope } from './envelope.js';
import { describeNetworkError } from './network-error.js';
import { fetchWithProgress, progressRequest, UPLOAD_TIMEOUT_MS, uploadForm } from './upload.js';
import type { UploadOptions } from './upload.js';
import { uuid } from './uuid.js';

export type Fetch = typeof globalThis.fetch;

/** One request to the service. */
export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Includes `/v1`. */
  path: string;
  query?: object | undefined;
  body?: object | undefined;
  headers?: Record<string, string> | undefined;
  /** Sends a file instead of a JSON body. */
  upload?: { file: Blob; options: UploadOptions } | undefined;
  /**
   * The service executes the call only once, because it has a `client_message_id`. So the SDK repeats it when there is
   * no response or the service is unavailable. No other call is repeated.
   */
  repeatable?: boolean | undefined;
  /** Omits the request id, so that a page on another origin needs no preflight request. */
  simple?: boolean | undefined;
}

export interface HttpOptions {
  /** A custom fetch, for tests, proxies and other runtimes. */
  fetch?: Fetch | undefined;
  /** Milliseconds for the whole response; default 15,000. */
  timeoutMs?: number | undefined;
}

const MAX_ATTEMPTS = 4;
const RETRY = { baseMs: 250, capMs: 4_000 };
/** If the service asks for a longer wait, the SDK returns the error instead of retrying. */
const MAX_RETRY_DELAY_MS = 5_000;

/** Sends JSON requests and turns every failure into an {@link ApiError}. */
export class HttpTransport {
  private readonly fetch: Fetch;
  private readonly timeoutMs: number;

  constructor(
    private readonly baseUrl: string,
    options: HttpOptions = {},
  ) {
    // Bound, because browsers reject a `fetch` that is called on any object but the window.
    this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    this.timeoutMs = options.timeoutMs ?? 15_000;
  }

  /** @returns the `data` of the response */
  async request<T>(call: Call, token?: string): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return (await this.send(call, token)) as T;
      } catch (error) {
        const wait = call.repeatable && attempt + 1 < MAX_ATTEMPTS ? retryDelayMs(error, attempt) : undefined;
        if (wait === undefined) throw error;
        await sleep(wait);
      }
    }
  }

  private async send(call: Call, token: string | undefined): Promise<unknown> {
    const requestId = uuid();
    const timeoutMs = call.upload ? UPLOAD_TIMEOUT_MS : this.timeoutMs;
    const signal = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await this.fetchCall(call, buildHeaders(call, requestId, token), signal);
      text = await response.text();
    } catch (cause) {
      const target = `${call.method} ${this.baseUrl}${call.path}`;
      throw noResponseError(target, requestId, cause, signal.aborted ? timeoutMs : undefined);
    }
    return openEnvelope(text, { status: response.status, header: name => response.headers.get(name), requestId });
  }

  private fetchCall(call: Call, headers: Record<string, string>, timeout: AbortSignal): Promise<Response> {
    const { method, body, upload } = call;
    const url = `${this.baseUrl}${call.path}${queryString(call.query)}`;
    if (upload) return this.fetchUpload(url, headers, upload, timeout);
    return this.fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: timeout,
    });
  }

  private async fetchUpload(
    url: string,
    headers: Record<string, string>,
    { file, options }: NonNullable<Call['upload']>,
    timeout: AbortSignal,
  ): Promise<Response> {
    const { onProgress } = options;
    const form = uploadForm(file, options);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    // Node 24 reports an error that nobody can catch when fetch gets a form and an aborted signal.
    signal.throwIfAborted();
    const Request = onProgress && progressRequest();
    if (Request) return fetchWithProgress(Request, url, { headers, form, signal }, onProgress);
    const response = await this.fetch(url, { method: 'POST', headers, body: form, signal });
    onProgress?.({ sent: file.size, total: file.size });
    return response;
  }
}

function buildHeaders(call: Call, requestId: string, token: string | undefined): Record<string, string> {
  return {
    Accept: 'application/json',
    ...(call.simple ? {} : { 'X-Request-Id': requestId }),
    ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...call.headers,
  };
}

/** @param target method and address, without the query, which may contain secrets */
function noResponseError(target: string, requestId: string, cause: unknown, timeoutMs: number | undefined): ApiError {
  if (timeoutMs !== undefined) {
    return new ApiError({
      status: 0,
      code: 'timeout',
      message: `${target} took over ${timeoutMs} ms.`,
      requestId,
      cause,
    });
  }
  const message = `${target} got no answer: ${describeNetworkError(cause)}.`;
  return new ApiError({ status: 0, code: 'network_error', message, requestId, cause });
}

/** Milliseconds until the next attempt, or undefined when the error must go to the caller. */
function retryDelayMs(error: unknown, attempt: number): number | undefined {
  // `idempotency_in_progress`: the first attempt still runs, although its response was lost.
  if (!(error instanceof ApiError) || !(error.transient || error.code === 'idempotency_in_progress')) return undefined;
  const wait = Math.max(fullJitter(attempt, RETRY), (error.retryAfter ?? 0) * 1000);
  return wait <= MAX_RETRY_DELAY_MS ? wait : undefined;
}
