import type { ErrorKind } from '../../kernel/domain-error.js';
import type { Access } from '../access/access.decorator.js';
import type { Answer } from '../http/answers.decorator.js';
import type { Json, JsonObject } from './json.js';

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: JsonObject;
}

/** A tag of the document with its description. */
export interface Section {
  name: string;
  description: string;
}

/** A body of a request; `schema` refers to a component. */
export interface RequestBody {
  required?: boolean;
  content: Record<string, { schema: JsonObject; example?: Json }>;
}

/** What the decorators have said of a route; the members in `x-` are our own. */
export interface Operation {
  tags?: string[];
  operationId?: string;
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, Json>;
  'x-access'?: Access;
  'x-answer'?: Answer;
  'x-errors'?: { code: string; kind: ErrorKind }[];
  'x-rate-limit'?: string;
  'x-section'?: Section;
}

/** Public routes have no principal that a key could belong to: there it is not looked at. */
export function honoursIdempotencyKey(operation: Operation): boolean {
  return operation['x-answer']?.creates === true && operation['x-access']?.public === false;
}

export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe. Within 24 hours, a request with the same key and the same body has one effect and gets the ' +
    'first answer again. 1 to 255 printable ASCII characters.',
  schema: { type: 'string', minLength: 1, maxLength: 255, example: 'order-4711' },
};

export const REPLAYED_HEADER: JsonObject = {
  description: 'The answer that this Idempotency-Key got the first time.',
  schema: { type: 'string', const: 'true' },
};
