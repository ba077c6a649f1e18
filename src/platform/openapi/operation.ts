import type { ErrorKind } from '../../kernel/domain-error.js';
import type { Access } from '../access/access.decorator.js';
import type { Answer } from '../http/answers.decorator.js';
import type { Json, JsonObject } from '../schemas/json.js';

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

/** A request body. Its `schema` refers to a component. */
interface RequestBody {
  required?: boolean;
  content: Record<string, { schema: JsonObject; example?: Json }>;
}

/** A route as the decorators describe it. The `x-` members are our own extensions. */
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

/** Public routes ignore the `Idempotency-Key`, because they have no principal that a key could belong to. */
export function honoursIdempotencyKey(operation: Operation): boolean {
  return operation['x-answer']?.once === true && operation['x-access']?.public === false;
}

export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe. Within 24 hours, requests with the same key and the same body take effect once and get the ' +
    'first response again. 1 to 255 printable ASCII characters.',
  schema: { type: 'string', minLength: 1, maxLength: 255, example: 'order-4711' },
};

export const REPLAYED_HEADER: JsonObject = {
  description: 'The response is a replay of the first response to this Idempotency-Key.',
  schema: { type: 'string', const: 'true' },
};
