import type { ErrorKind } from '../../kernel/domain-error.js';
import type { Access } from '../access/access.decorator.js';
import type { Answer } from '../http/answers.decorator.js';
import type { Json, JsonObject } from './json.js';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: JsonObject;
}

/** What the decorators have said of a route; the members in `x-` are our own. */
export interface Operation {
  tags?: string[];
  operationId?: string;
  summary?: string;
  parameters?: Parameter[];
  requestBody?: Json;
  responses: Record<string, Json>;
  'x-access'?: Access;
  'x-answer'?: Answer;
  'x-errors'?: { code: string; kind: ErrorKind }[];
  'x-rate-limit'?: string;
}

/** Public routes have no principal that a key could belong to: there it is not looked at. */
export function honoursIdempotencyKey(operation: Operation): boolean {
  return operation['x-answer']?.creates === true && operation['x-access']?.public === false;
}

export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Printable ASCII. The same key and body within a day: one effect, and the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

export const REPLAYED_HEADER: JsonObject = {
  description: 'The answer that this Idempotency-Key got the first time.',
  schema: { type: 'string', const: 'true' },
};
