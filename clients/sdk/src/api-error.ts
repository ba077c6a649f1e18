import type { components } from './generated/openapi.js';

/** Codes of failures that the SDK meets by itself. */
export type ClientErrorCode = 'network_error' | 'timeout' | 'invalid_response' | 'socket_closed' | 'socket_unavailable';

/** Codes that the service has published. */
export type ServiceErrorCode = components['schemas']['ErrorCode'];

/** The known codes, for completion. Any other text fits too, because a newer service may publish more. */
export type ErrorCode = ServiceErrorCode | ClientErrorCode | (string & Record<never, never>);

/** One faulty field of a request. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

/** What an {@link ApiError} is made of. */
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
 * Every failure of this SDK, whatever its reason. Branch on `code`, which never changes once published:
 *
 * - the service refused: its own `status` and `code`;
 * - no answer arrived: `status` 0 with `network_error` or `timeout`; the message names the address and what went wrong,
 *   `cause` is the error of the network;
 * - something answered that is not the service (a proxy's page): `invalid_response` with the status that it gave;
 * - a live socket ended for good: `socket_closed`, with the status that its close code stands for (401, 403, 404) or 0;
 * - there is no WebSocket to open one with: `status` 0 with `socket_unavailable`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly code: ErrorCode;
  /** Name this to whoever runs the service: it stands in every log line of the request. */
  readonly requestId: string | undefined;
  /** All faulty fields at once. */
  readonly details: readonly FieldFault[];
  /** Seconds after which another try can succeed. */
  readonly retryAfter: number | undefined;
  /** What else the service told about this case, such as `from` and `to` of an `invalid_transition`. */
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

  /** True when nobody decided anything: the network, a timeout, a service or proxy that is away for the moment. */
  get transient(): boolean {
    return this.code === 'network_error' || this.code === 'timeout' || [502, 503, 504].includes(this.status);
  }
}
