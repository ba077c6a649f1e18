import { ApiError, type FieldFault } from './api-error.js';

/** What is known of an answer apart from its body. */
export interface ResponseHead {
  status: number;
  header(name: string): string | null | undefined;
  /** The id that the request carried, for answers that name none. */
  requestId?: string | undefined;
}

/**
 * The `data` of a success.
 * @throws ApiError for a failure, and for a body that is not the service's envelope.
 */
export function openEnvelope(text: string, head: ResponseHead): unknown {
  const body = parse(text);
  if (isRecord(body) && body['ok'] === true && head.status < 400) return body['data'];
  if (isRecord(body) && body['ok'] === false && isRecord(body['error'])) throw toApiError(body, body['error'], head);
  throw new ApiError({
    status: head.status,
    code: 'invalid_response',
    message: `The answer with status ${head.status} is not one of the service's: something in between may have given it.`,
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` is seconds from the service itself, and may be a date from a proxy. */
function parseRetryAfter(header: string | null | undefined): number | undefined {
  if (header === null || header === undefined || header.trim() === '') return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
