import type { CloseReason } from './close-codes.js';

/**
 * The kinds of DomainError. The HTTP filter maps a kind to a status, and sockets map it to an error frame. Clients
 * branch on the stable snake_case `code` instead; a published code never changes.
 */
export const ERROR_KINDS = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'timeout',
  'conflict',
  'gone',
  'too_large',
  'unsupported_media_type',
  'unprocessable',
  'rate_limited',
  'internal',
  'unavailable',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** One invalid field of a request: its path (`theme.primary_color`, `tags[3]`), an error code and a message. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

export interface ErrorOptions {
  /** Replaces the documented message with a more specific one. Must contain no secret and no other tenant's data. */
  message?: string;
  details?: FieldFault[];
  /** Additional documented members of the `error` object, such as `from` and `to`. */
  data?: Record<string, unknown>;
  /** Seconds until a retry can succeed; sent as `Retry-After`. */
  retryAfter?: number;
  cause?: unknown;
}

export class DomainError extends Error {
  readonly details: FieldFault[] | undefined;
  readonly data: Record<string, unknown> | undefined;
  readonly retryAfter: number | undefined;
  /** How a socket closes after this error; undefined for the usual reason of its kind. */
  readonly closeReason: CloseReason | undefined;

  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    options: ErrorOptions = {},
    closeReason?: CloseReason,
  ) {
    super(options.message ?? message, { cause: options.cause });
    this.name = code;
    this.details = options.details;
    this.data = options.data;
    this.retryAfter = options.retryAfter;
    this.closeReason = closeReason;
  }
}

/** The class of a documented error, thrown as `throw new ShortCodeTaken()`. */
export interface DomainErrorClass {
  new (options?: ErrorOptions): DomainError;
  readonly kind: ErrorKind;
  readonly code: string;
  readonly summary: string;
}

const published = new Map<string, DomainErrorClass>();

/**
 * Defines and publishes an error. One code may have two kinds: `member_deactivated` is a conflict for the admin who
 * adds the member, and forbidden for the member.
 * @param closeReason how a socket closes after this error, if not for the usual reason of its kind
 * @throws Error when the code is already defined with the same kind
 */
export function defineError(
  kind: ErrorKind,
  code: string,
  summary: string,
  closeReason?: CloseReason,
): DomainErrorClass {
  if (published.has(`${code} ${kind}`)) throw new Error(`error code ${code} is defined twice`);
  const defined = class extends DomainError {
    static readonly kind = kind;
    static readonly code = code;
    static readonly summary = summary;
    constructor(options: ErrorOptions = {}) {
      super(kind, code, summary, options, closeReason);
    }
  };
  published.set(`${code} ${kind}`, defined);
  return defined;
}

/** Finds a published error by kind and code. */
export function publishedError(kind: ErrorKind, code: string): DomainErrorClass | undefined {
  return published.get(`${code} ${kind}`);
}

/** Returns every published error, sorted by code; the source of `docs/generated/errors.md`. */
export function publishedErrors(): DomainErrorClass[] {
  return [...published.values()].sort((a, b) => a.code.localeCompare(b.code));
}
