import { HttpException } from '@nestjs/common';
import { nowWireTime } from '../../kernel/clock.js';
import type { ErrorKind, FieldFault } from '../../kernel/domain-error.js';
import { DomainError } from '../../kernel/domain-error.js';
import {
  BodyTooLarge,
  InternalError,
  MalformedRequest,
  NotFound,
  RateLimited,
  Unavailable,
  UnsupportedMediaType,
} from '../../kernel/errors.js';
import { isUnavailable } from '../database/database-errors.js';
import { rateHeaders, RateRefused } from '../limits/rate-limit.service.js';

/** The HTTP status of each kind of error. */
export const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  timeout: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

/** The response body of every failure. */
export interface Problem {
  ok: false;
  request_id: string;
  timestamp: string;
  error: { code: string; message: string; details?: FieldFault[] };
}

export function problem(requestId: string, error: DomainError): Problem {
  const { code, message, details, data } = error;
  return {
    ok: false,
    request_id: requestId,
    timestamp: nowWireTime(),
    error: { code, message, ...data, ...(details ? { details } : {}) },
  };
}

/** The headers of a failure. `no-store` keeps failures out of caches even on cacheable routes. */
export function problemHeaders(error: DomainError, tokenSent: boolean): Record<string, string> {
  const rates = error instanceof RateRefused ? rateHeaders(error.state) : {};
  const headers: Record<string, string> = { 'Cache-Control': 'no-store', ...rates };
  if (error.kind === 'unauthenticated') {
    headers['WWW-Authenticate'] = tokenSent ? 'Bearer error="invalid_token"' : 'Bearer';
  }
  if (error.kind === 'timeout') headers.Connection = 'close';
  const wait = error.retryAfter ?? (error.kind === 'unavailable' ? 1 : undefined);
  if (wait !== undefined) headers['Retry-After'] = String(wait);
  return headers;
}

function fromHttp(error: HttpException): DomainError {
  switch (error.getStatus()) {
    case 404:
    case 405:
      return new NotFound();
    case 413:
      return new BodyTooLarge();
    case 415:
      return new UnsupportedMediaType();
    case 429:
      return new RateLimited();
    case 503:
      return new Unavailable();
    default:
      return error.getStatus() < 500 ? new MalformedRequest() : new InternalError({ cause: error });
  }
}

/**
 * Maps any thrown value to an error that may be shown to the client. Errors of Nest and express keep their status, an
 * unreachable database is 503, and everything else is 500 without its message.
 */
export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (thrown instanceof HttpException) return fromHttp(thrown);
  if (isUnavailable(thrown)) return new Unavailable({ cause: thrown });
  const status = (thrown as { status?: unknown } | null)?.status;
  if (typeof status === 'number' && status >= 400 && status < 500) return new MalformedRequest({ cause: thrown });
  return new InternalError({ cause: thrown });
}
