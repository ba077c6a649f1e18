import type { DomainErrorClass, ErrorKind } from '../../kernel/domain-error.js';
import { ERROR_KINDS, publishedError } from '../../kernel/domain-error.js';
import type { CredentialKind } from '../../kernel/principal.js';
import { STATUS } from '../http/problem.js';
import { ERROR_FIELDS, EXAMPLE_HEAD, json, TEXT_HEADER } from './envelope.js';
import type { Json, JsonObject } from '../schemas/json.js';
import type { Operation } from './operation.js';
import { honoursIdempotencyKey } from './operation.js';

/** The kinds of credentials, with the errors of the routes that accept them. */
export type DocumentedCredentials = Record<CredentialKind, DocumentedCredential>;

interface DocumentedCredential {
  scheme: { bearerFormat?: string; description: string };
  /** Refuses a credential of another kind. */
  required: DomainErrorClass;
  /** The errors of a valid credential whose owner may not call. */
  refusals: readonly DomainErrorClass[];
}

export interface FailureContext {
  credentials: DocumentedCredentials;
  /** Collects the responses that several routes share. */
  responses: Record<string, Json>;
}

/** Lists the failures of a route by status: its own errors, those of its credentials and those common to all routes. */
export function failures(
  method: string,
  operation: Operation,
  { credentials, responses }: FailureContext,
): Record<string, Json> {
  const codes = new Map<ErrorKind, Set<string>>();
  const add = (kind: ErrorKind, ...names: string[]) => {
    const known = codes.get(kind) ?? new Set();
    for (const name of names) known.add(name);
    codes.set(kind, known);
  };
  for (const { kind, code } of operation['x-errors'] ?? []) add(kind, code);
  const access = operation['x-access'];
  if (access && !access.public) {
    add('unauthenticated', 'unauthenticated', 'invalid_token', 'token_expired', 'token_revoked');
    const [first] = access.kinds;
    if (first) add('unauthenticated', credentials[first].required.code);
    if (access.keyOutsideBrowsers) add('forbidden', 'browser_not_allowed');
    for (const { kind, code } of access.kinds.flatMap(accepted => credentials[accepted].refusals)) add(kind, code);
  }
  add('forbidden', 'https_required');
  add('rate_limited', 'rate_limited');
  add('internal', 'internal_error');
  add('unavailable', 'unavailable');
  if (operation.requestBody || operation.parameters?.some(parameter => parameter.in === 'query'))
    add('invalid', 'validation_failed');
  if (operation.parameters?.some(parameter => parameter.name === 'cursor')) add('invalid', 'cursor_invalid');
  if (method === 'post' || method === 'patch' || method === 'delete' || method === 'get') bodies(add);
  if (honoursIdempotencyKey(operation)) idempotency(add);
  const kinds = ERROR_KINDS.filter(kind => codes.has(kind));
  return Object.fromEntries(
    kinds.map(kind => {
      const status = String(STATUS[kind]);
      const sorted = [...(codes.get(kind) ?? [])].sort();
      return [status, share(responses, [status, ...sorted].join('.'), failure(kind, sorted))];
    }),
  );
}

type Add = (kind: ErrorKind, ...codes: string[]) => void;

/** Adds the errors of an unreadable body, which any request can have. */
function bodies(add: Add): void {
  add('invalid', 'malformed_json', 'malformed_request', 'validation_failed');
  add('timeout', 'request_timeout');
  add('too_large', 'body_too_large');
  add('unsupported_media_type', 'unsupported_media_type');
}

function idempotency(add: Add): void {
  add('invalid', 'idempotency_key_invalid');
  add('conflict', 'idempotency_in_progress');
  add('gone', 'answer_erased');
  add('unprocessable', 'idempotency_key_reused');
}

const SECONDS_HEADER: JsonObject = { description: 'Seconds.', schema: { type: 'integer', minimum: 0 } };
const COUNT_HEADER: JsonObject = { schema: { type: 'integer', minimum: 0 } };

/** The headers of some failures. */
const FAILURE_HEADERS: Partial<Record<ErrorKind, JsonObject>> = {
  unauthenticated: { 'WWW-Authenticate': TEXT_HEADER },
  rate_limited: {
    'Retry-After': SECONDS_HEADER,
    'RateLimit-Limit': COUNT_HEADER,
    'RateLimit-Remaining': COUNT_HEADER,
    'RateLimit-Reset': SECONDS_HEADER,
  },
  unavailable: { 'Retry-After': SECONDS_HEADER },
};

/** Documents one failure: its envelope, its possible codes and their meanings. */
function failure(kind: ErrorKind, codes: string[]): Json {
  const schema: JsonObject = {
    allOf: [
      { $ref: '#/components/schemas/Failure' },
      {
        type: 'object',
        properties: {
          error: { type: 'object', properties: { ...ERROR_FIELDS, code: { type: 'string', enum: codes } } },
        },
      },
    ],
  };
  const headers = { 'X-Request-Id': TEXT_HEADER, ...FAILURE_HEADERS[kind] };
  const description = codes.map(code => `- \`${code}\` ${meaningOf(kind, code)}`).join('\n');
  return { description, headers, content: json(schema, exampleOf(kind, codes)) };
}

function meaningOf(kind: ErrorKind, code: string): string {
  return publishedError(kind, code)?.summary ?? '';
}

/** @returns one short example, to keep the reference readable */
function exampleOf(kind: ErrorKind, codes: string[]): Json {
  const code = codes.find(name => name === 'validation_failed') ?? codes[0] ?? '';
  const details = [{ field: 'name', code: 'too_long', message: 'name must have at most 200 characters' }];
  const error = { code, message: meaningOf(kind, code), ...(code === 'validation_failed' ? { details } : {}) };
  return { ok: false, ...EXAMPLE_HEAD, error };
}

/** Stores a response under its status and codes, so that routes with the same failure refer to it. */
function share(shared: Record<string, Json>, name: string, response: Json): Json {
  if (name.length > 120) return response;
  shared[name] = response;
  return { $ref: `#/components/responses/${name}` };
}
