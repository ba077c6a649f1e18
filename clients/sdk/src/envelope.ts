import { ApiError, type FieldFault } from './api-error.js';

/** Status and headers of a response. */
export interface ResponseHead {
  status: number;
  header(name: string): string | null | undefined;
  /** Id of the request, for responses that contain none. */
  requestId?: string | undefined;
}

/**
 * Returns the `data` of a successful response.
 * @throws ApiError for a failure, and for a body that is not the service's envelope
 */
export function openEnvelope(text: string, head: ResponseHead): unknown {
  const body = parseJson(text);
  if (isRecord(body) && body['ok'] === true && head.status < 400) return body['data'];
  if (isRecord(body) && body['ok'] === false && isRecord(body['error'])) throw toApiError(body, body['error'], head);
  throw new ApiError({
    status: head.status,
    code: 'invalid_response',
    message: `The response with status ${head.status} is not from the service: a proxy in between may have sent it.`,
    requestId: head.header('x-request-id') ?? head.requestId,
    retryAfter: parseRetryAfter(head.header('retry-after')),
  });
}

function toApiError(body: Record<string, unknown>, error: Record<string, unknown>, head: ResponseHead): ApiError {
  const { code, message, details, ...data } = error;
  return new ApiError({
    status: head.status,
    code: String(code),
    message: String(message ?? code),
    requestId: typeof body['request_id'] === 'string' ? body['request_id'] : head.requestId,
    details: Array.isArray(details) ? (details as FieldFault[]) : undefined,
    retryAfter: parseRetryAfter(head.header('retry-after')),
    data,
  });
}

/** @returns undefined for text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses `Retry-After` into seconds. The service sends seconds; a proxy may send a date. */
function parseRetryAfter(header: string | null | undefined): number | undefined {
  if (header === null || header === undefined || header.trim() === '') return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

/** Returns true for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
