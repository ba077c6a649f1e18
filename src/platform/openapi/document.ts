import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { ErrorKind } from '../../kernel/domain-error.js';
import { ERROR_KINDS } from '../../kernel/domain-error.js';
import type { Access } from '../access/access.decorator.js';
import type { Answer } from '../http/answers.decorator.js';
import { STATUS } from '../http/problem.js';
import type { Json, JsonObject } from './json.js';
import { modernise } from './modernise.js';

interface Operation {
  tags?: string[];
  operationId?: string;
  summary?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: JsonObject }[];
  requestBody?: Json;
  responses: Record<string, Json>;
  'x-access'?: Access;
  'x-answer'?: Answer;
  'x-errors'?: { code: string; kind: ErrorKind }[];
  'x-rate-limit'?: string;
}

export interface ApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonObject>;
    responses?: Record<string, Json>;
    securitySchemes: JsonObject;
  };
}

const VERSION = '1';

/** A class whose fields carry their documentation. */
export type ViewClass = new (...args: never[]) => object;

/**
 * The API reference as OpenAPI 3.1: each answer in its envelope, each error code that a route can give.
 * @param extraModels shapes that no route names, such as those of frames
 */
export function writeDocument(app: INestApplication, extraModels: ViewClass[] = []): ApiDocument {
  const builder = new DocumentBuilder()
    .setTitle('Support chat platform')
    .setDescription(
      'Visitors, agents and servers talk. All answers are JSON in one envelope; times are UTC with six digits.',
    )
    .setVersion(VERSION)
    .setOpenAPIVersion('3.1.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Agent access token' }, 'agent')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Visitor token' }, 'visitor')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'API key, svc_sk_…' }, 'api_key')
    .build();
  const document = SwaggerModule.createDocument(app, builder, {
    extraModels,
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  }) as unknown as ApiDocument;
  for (const operations of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) complete(method, operation);
  }
  document.components.schemas.FieldFault = FIELD_FAULT;
  document.components.schemas.Failure = FAILURE;
  shareResponses(document);
  return modernise(document as unknown as Json) as unknown as ApiDocument;
}

/** What many routes answer alike stands once, under the codes that it carries. */
function shareResponses(document: ApiDocument): void {
  const shared: Record<string, Json> = {};
  for (const operation of Object.values(document.paths).flatMap(operations => Object.values(operations))) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const { description } = response as { description: string };
      if (Number(status) < 400 || description.length > 120) continue;
      const name = description.replaceAll(', ', '.');
      shared[name] = response;
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  document.components.responses = shared;
}

function complete(method: string, operation: Operation): void {
  const answer = operation['x-answer'];
  const route = operation.operationId ?? method;
  if (!answer) throw new Error(`${route} does not say what it answers`);
  if (!operation.summary) throw new Error(`${route} does not say what it does`);
  const once = honoursIdempotencyKey(operation);
  if (once) operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  const done = success(answer, once ? { 'Idempotency-Replayed': REPLAYED_HEADER } : {});
  operation.responses = {
    [answer.creates ? '201' : '200']: done,
    ...(answer.creates ? { '200': done } : {}),
    ...failures(method, operation),
  };
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in === 'path') parameter.schema = { type: 'string', format: 'uuid' };
  }
}

/** Public routes have no principal that a key could belong to: there it is not looked at. */
function honoursIdempotencyKey(operation: Operation): boolean {
  return operation['x-answer']?.creates === true && operation['x-access']?.public === false;
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Printable ASCII. The same key and body within a day: one effect, and the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};
const REPLAYED_HEADER: JsonObject = {
  description: 'The answer that this Idempotency-Key got the first time.',
  schema: { type: 'string', const: 'true' },
};

function success({ view, page, creates }: Answer, headers: JsonObject): Json {
  const one = { $ref: `#/components/schemas/${view}` };
  const list: JsonObject = {
    type: 'object',
    required: ['items', 'next_cursor'],
    properties: { items: { type: 'array', items: one }, next_cursor: { type: ['string', 'null'] } },
  };
  return {
    description: creates ? 'Made, or found as made before' : 'Done',
    headers: { 'X-Request-Id': TEXT_HEADER, ...headers },
    content: json(envelope({ ok: { type: 'boolean', const: true }, data: page ? list : one })),
  };
}

/** Every code that the route can give, by status: its own, those of its credential, those that anything can give. */
function failures(method: string, operation: Operation): Record<string, Json> {
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
    add(
      'unauthenticated',
      ...access.kinds.slice(0, 1).map(kind => (kind === 'api_key' ? 'api_key_required' : `${kind}_token_required`)),
    );
    if (access.keyOutsideBrowsers) add('forbidden', 'browser_not_allowed');
    add('forbidden', ...(access.kinds.includes('visitor') ? ['contact_blocked'] : ['forbidden', 'scope_too_narrow']));
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
    kinds.map(kind => [String(STATUS[kind]), failure(kind, [...(codes.get(kind) ?? [])].sort())]),
  );
}

type Add = (kind: ErrorKind, ...codes: string[]) => void;

/** Any request may carry a body that cannot be read. */
function bodies(add: Add): void {
  add('invalid', 'malformed_json', 'malformed_request', 'validation_failed');
  add('too_large', 'body_too_large');
  add('unsupported_media_type', 'unsupported_media_type');
}

function idempotency(add: Add): void {
  add('invalid', 'idempotency_key_invalid');
  add('conflict', 'idempotency_in_progress');
  add('unprocessable', 'idempotency_key_reused');
}

const TEXT_HEADER: JsonObject = { schema: { type: 'string' } };
const SECONDS_HEADER: JsonObject = { description: 'Seconds.', schema: { type: 'integer', minimum: 0 } };
const COUNT_HEADER: JsonObject = { schema: { type: 'integer', minimum: 0 } };

/** What some failures carry beside their body. */
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

/** The envelope of failures, and which codes this one can carry. */
function failure(kind: ErrorKind, codes: string[]): Json {
  const schema: JsonObject = {
    allOf: [
      { $ref: '#/components/schemas/Failure' },
      {
        type: 'object',
        properties: { error: { type: 'object', properties: { code: { type: 'string', enum: codes } } } },
      },
    ],
  };
  const headers = { 'X-Request-Id': TEXT_HEADER, ...FAILURE_HEADERS[kind] };
  return { description: codes.join(', '), headers, content: json(schema) };
}

function envelope(members: JsonObject): JsonObject {
  return {
    type: 'object',
    required: ['ok', 'request_id', 'timestamp', ...Object.keys(members).filter(name => name !== 'ok')],
    properties: { request_id: { type: 'string' }, timestamp: { type: 'string', format: 'date-time' }, ...members },
  };
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

const FAILURE: JsonObject = envelope({
  ok: { type: 'boolean', const: false },
  error: {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: { type: 'string' },
      message: { type: 'string' },
      details: { type: 'array', items: { $ref: '#/components/schemas/FieldFault' } },
    },
  },
});

const FIELD_FAULT: JsonObject = {
  type: 'object',
  required: ['field', 'code', 'message'],
  properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
};
