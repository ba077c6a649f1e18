import type { components } from './generated/openapi.js';

/** Codes of errors that the SDK itself reports. */
export type ClientErrorCode = 'network_error' | 'timeout' | 'invalid_response' | 'socket_closed' | 'socket_unavailable';

/** Codes of the service. */
export type ServiceErrorCode = components['schemas']['ErrorCode'];

/** Known codes, for editor completion. Allows any string, because a newer service may have more codes. */
export type ErrorCode = ServiceErrorCode | ClientErrorCode | (string & Record<never, never>);

/** One invalid field of a request. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

/** Constructor arguments of {@link ApiError}. */
export interface ApiErrorParts {
  status: number;
  code: ErrorCode;
  message: string;
  requestId?: string | undefined;
  details?: readonly FieldFault[] | undefined;
  retryAfter?: number | undefined;
  data?: Readonly<Record<string, unknown>> | undefined;
  cause?: unknown;
}

/**
 * The only error class of this SDK. Branch on `code`; published codes never change.
 *
 * - The service refused: `status` and `code` of the service.
 * - No response arrived: `status` 0 with `network_error` or `timeout`. The message names the address and the reason;
 *   `cause` is the network error.
 * - Something other than the service responded (a proxy's page): `invalid_response` with the status of that response.
 * - A socket ended for good: `socket_closed`, with the status equivalent to its close code (401, 403, 404) or 0.
 * - The runtime has no WebSocket: `status` 0 with `socket_unavailable`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  readonly code: ErrorCode;
  /** Id of the request in every log line of the service; give it to the operator. */
  readonly requestId: string | undefined;
  /** All invalid fields. */
  readonly details: readonly FieldFault[];
  /** Seconds after which a retry can succeed. */
  readonly retryAfter: number | undefined;
  /** Other fields of the error, such as `from` and `to` of an `invalid_transition`. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(parts: ApiErrorParts) {
    super(parts.message, { cause: parts.cause });
    this.status = parts.status;
    this.code = parts.code;
    this.requestId = parts.requestId;
    this.details = parts.details ?? [];
    this.retryAfter = parts.retryAfter;
    this.data = parts.data ?? {};
  }

  /** True for temporary failures: the network, a timeout, or a service or proxy that is unavailable (502, 503, 504). */
  get transient(): boolean {
    return this.code === 'network_error' || this.code === 'timeout' || [502, 503, 504].includes(this.status);
  }
}
