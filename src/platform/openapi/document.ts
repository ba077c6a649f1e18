import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { Answer } from '../http/answers.decorator.js';
import { envelope, FAILURE, FIELD_FAULT, json, TEXT_HEADER } from './envelope.js';
import { failures } from './failures.js';
import { INTRODUCTION } from './introduction.js';
import type { Json, JsonObject } from './json.js';
import { modernise } from './modernise.js';
import type { Operation } from './operation.js';
import { honoursIdempotencyKey, IDEMPOTENCY_KEY, REPLAYED_HEADER } from './operation.js';

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
    .setDescription(INTRODUCTION)
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
  const operations = Object.values(document.paths).flatMap(methods => Object.entries(methods));
  const responses: Record<string, Json> = {};
  for (const [method, operation] of operations) complete(method, operation, responses);
  document.components.schemas.FieldFault = FIELD_FAULT;
  document.components.schemas.Failure = FAILURE;
  document.components.responses = responses;
  return modernise(document as unknown as Json) as unknown as ApiDocument;
}

function complete(method: string, operation: Operation, responses: Record<string, Json>): void {
  const answer = operation['x-answer'];
  const route = operation.operationId ?? method;
  if (!answer) throw new Error(`${route} does not say what it answers`);
  if (!operation.summary) throw new Error(`${route} does not say what it does`);
  // plain text, in which the marks of code would stand as they are
  operation.summary = operation.summary.replaceAll('`', '');
  const once = honoursIdempotencyKey(operation);
  // which headers a handler reads (Origin, Authorization) is its own affair, and none of them is ever required
  const parameters = (operation.parameters ?? []).filter(parameter => parameter.in !== 'header');
  operation.parameters = once ? [...parameters, IDEMPOTENCY_KEY] : parameters;
  const done = success(answer, once ? { 'Idempotency-Replayed': REPLAYED_HEADER } : {});
  operation.responses = {
    [answer.creates ? '201' : '200']: done,
    ...(answer.creates ? { '200': done } : {}),
    ...failures(method, operation, responses),
  };
  for (const parameter of operation.parameters) {
    if (parameter.in === 'path') parameter.schema = { type: 'string', format: 'uuid' };
  }
}

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
