import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { publishedErrors } from '../../kernel/domain-error.js';
import type { Answer } from '../http/answers.decorator.js';
import { envelope, FAILURE, FIELD_FAULT, json, TEXT_HEADER } from './envelope.js';
import type { DocumentedCredentials, FailureContext } from './failures.js';
import { failures } from './failures.js';
import { PAGE } from '../pages/layout.js';
import type { Json, JsonObject } from '../schemas/json.js';
import { modernise, without } from '../schemas/modernise.js';
import type { Operation, Section } from './operation.js';
import { honoursIdempotencyKey, REPLAYED_HEADER } from './operation.js';
import { parametersOf } from './parameters.js';
import { completeBody } from './request-bodies.js';
import { collectSections } from './sections.js';

export interface ApiDocument {
  openapi: string;
  info: JsonObject;
  externalDocs: JsonObject;
  servers: JsonObject[];
  tags: Section[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonObject>;
    responses?: Record<string, Json>;
    securitySchemes: JsonObject;
  };
}

const VERSION = '1';
const LICENCE: JsonObject = { name: 'MIT', identifier: 'MIT' };

/** The relative URL is first, because the reference is usually read on the service that it describes. */
const SERVERS: JsonObject[] = [
  { url: '/', description: 'This service.' },
  {
    url: '{public_url}',
    description: 'Another service, for clients generated from a copy of this document.',
    variables: { public_url: { default: 'http://localhost:3000', description: 'The `PUBLIC_URL` of the service.' } },
  },
];

/** A class with documented fields. */
type ViewClass = new (...args: never[]) => object;

export interface DocumentOptions {
  /** Markdown. */
  introduction: string;
  credentials: DocumentedCredentials;
  /** Views that no route returns, such as those of frames. */
  extraModels: ViewClass[];
}

/** Writes the API reference as OpenAPI 3.1, with the envelope of each response and the error codes of each route. */
export function writeDocument(app: INestApplication, options: DocumentOptions): ApiDocument {
  const { introduction, credentials, extraModels } = options;
  const builder = new DocumentBuilder()
    .setTitle('Support chat platform')
    .setDescription(introduction)
    .setVersion(VERSION)
    .setOpenAPIVersion('3.1.0');
  for (const [kind, { scheme }] of Object.entries(credentials)) {
    builder.addBearerAuth({ type: 'http', scheme: 'bearer', ...scheme }, kind);
  }
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels,
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  }) as unknown as ApiDocument;
  document.tags = collectSections(Object.values(document.paths).flatMap(methods => Object.values(methods)));
  document.servers = SERVERS;
  document.externalDocs = { description: 'WebSockets: handshake, frames and close codes.', url: PAGE.realtime };
  document.info = { ...without(document.info, 'contact'), license: LICENCE };
  const responses: Record<string, Json> = {};
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods))
      complete(path, method, operation, { credentials, responses });
  }
  document.components.schemas.FieldFault = FIELD_FAULT;
  document.components.schemas.Failure = FAILURE;
  document.components.schemas.ErrorCode = {
    type: 'string',
    enum: [...new Set(publishedErrors().map(({ code }) => code))],
    description: 'All error codes of this version of the service. A published code never changes.',
  };
  document.components.responses = responses;
  const modern = modernise(document as unknown as Json) as unknown as ApiDocument;
  for (const operation of Object.values(modern.paths).flatMap(methods => Object.values(methods))) {
    completeBody(operation, modern.components.schemas);
  }
  return modern;
}

function complete(path: string, method: string, operation: Operation, context: FailureContext): void {
  const answer = operation['x-answer'];
  const route = operation.operationId ?? method;
  if (!answer) throw new Error(`${route} has no @Answers, @AnswersPage or @Creates`);
  if (!operation.summary) throw new Error(`${route} has no @Summary`);
  // summaries are plain text, in which backticks would show
  operation.summary = operation.summary.replaceAll('`', '');
  // an absent `security` would mean unspecified
  if (operation['x-access']?.public) operation.security = [];
  const idempotent = honoursIdempotencyKey(operation);
  operation.parameters = parametersOf(path, operation);
  const done = success(answer, idempotent ? { 'Idempotency-Replayed': REPLAYED_HEADER } : {});
  operation.responses = {
    [answer.creates ? '201' : '200']: done,
    ...(answer.creates ? { '200': done } : {}),
    ...failures(method, operation, context),
  };
}

function success({ view, alternative, page, creates }: Answer, headers: JsonObject): Json {
  const schemaOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const one = schemaOf(view);
  const either = alternative === undefined ? one : { anyOf: [one, schemaOf(alternative)] };
  const list: JsonObject = {
    type: 'object',
    required: ['items', 'next_cursor'],
    properties: { items: { type: 'array', items: one }, next_cursor: { type: ['string', 'null'] } },
  };
  return {
    description: creates ? 'Created, or returned as created before.' : 'OK',
    headers: { 'X-Request-Id': TEXT_HEADER, ...headers },
    content: json(envelope({ ok: { type: 'boolean', const: true }, data: page ? list : either })),
  };
}
