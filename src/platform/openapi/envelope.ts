import type { Json, JsonObject } from '../schemas/json.js';

export const TEXT_HEADER: JsonObject = { schema: { type: 'string' } };

export const EXAMPLE_HEAD: JsonObject = { request_id: '3f9c2a7e41d85b06', timestamp: '2026-01-31T09:30:00.123456Z' };

/** The schema of every response. */
export function envelope(members: JsonObject): JsonObject {
  const { request_id: requestId = '', timestamp = '' } = EXAMPLE_HEAD;
  return {
    type: 'object',
    required: ['ok', 'request_id', 'timestamp', ...Object.keys(members).filter(name => name !== 'ok')],
    properties: {
      ok: members.ok ?? {},
      request_id: { type: 'string', example: requestId },
      timestamp: { type: 'string', format: 'date-time', example: timestamp },
      ...members,
    },
  };
}

export function json(schema: JsonObject, example?: Json): JsonObject {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

/** The fields of an `error`. Each failure narrows `code`. */
export const ERROR_FIELDS: JsonObject = {
  // also any string, because a newer service may publish more codes
  code: { anyOf: [{ $ref: '#/components/schemas/ErrorCode' }, { type: 'string' }] },
  message: { type: 'string' },
  details: { type: 'array', items: { $ref: '#/components/schemas/FieldFault' } },
};

export const FAILURE: JsonObject = envelope({
  ok: { type: 'boolean', const: false },
  error: {
    type: 'object',
    required: ['code', 'message'],
    properties: ERROR_FIELDS,
  },
});

export const FIELD_FAULT: JsonObject = {
  type: 'object',
  required: ['field', 'code', 'message'],
  properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
};
