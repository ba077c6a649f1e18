/**
 * Everything that the service refuses is a DomainError: what kind of refusal (which the edges translate into an HTTP
 * status or an error frame), and a stable snake_case code that clients branch on. A published code never changes.
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

/** One faulty field of a request: its path (`theme.primary_color`, `tags[3]`), a code, a sentence. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

export interface ErrorOptions {
  /** Replaces the documented sentence where the case can say more. Never a secret, never another tenant's data. */
  message?: string;
  details?: FieldFault[];
  /** Extra members of the `error` object that the contract names, such as `from` and `to`. */
  data?: Record<string, unknown>;
  /** Seconds after which another try can succeed; becomes `Retry-After`. */
  retryAfter?: number;
  cause?: unknown;
}

export class DomainError extends Error {
  readonly details: FieldFault[] | undefined;
  readonly data: Record<string, unknown> | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(options.message ?? message, { cause: options.cause });
    this.name = code;
    this.details = options.details;
    this.data = options.data;
    this.retryAfter = options.retryAfter;
  }
}

/** A documented error: `throw new ShortCodeTaken()`. */
export interface DomainErrorClass {
  new (options?: ErrorOptions): DomainError;
  readonly kind: ErrorKind;
  readonly code: string;
  readonly summary: string;
}

const published = new Map<string, DomainErrorClass>();

/**
 * Publishes an error code with its meaning. One code may stand for refusals of two kinds (`member_deactivated` is a
 * conflict for whoever adds the member, and forbidden for the member); twice the same is a mistake of ours.
 */
export function defineError(kind: ErrorKind, code: string, summary: string): DomainErrorClass {
  if (published.has(`${code} ${kind}`)) throw new Error(`error code ${code} is defined twice`);
  const defined = class extends DomainError {
    static readonly kind = kind;
    static readonly code = code;
    static readonly summary = summary;
    constructor(options: ErrorOptions = {}) {
      super(kind, code, summary, options);
    }
  };
  published.set(`${code} ${kind}`, defined);
  return defined;
}

/** The published error of a kind with this code. */
export function publishedError(kind: ErrorKind, code: string): DomainErrorClass | undefined {
  return published.get(`${code} ${kind}`);
}

/** Every published error, by code; the source of `docs/generated/errors.md`. */
export function publishedErrors(): DomainErrorClass[] {
  return [...published.values()].sort((a, b) => a.code.localeCompare(b.code));
}
