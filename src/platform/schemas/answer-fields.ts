import type { ApiPropertyOptions } from '@nestjs/swagger';
import { ANY_TYPE } from './modernise.js';
import type { FieldOptions } from '../schemas/field.js';
import { field } from '../schemas/field.js';

/**
 * Documents a response field as another module's view, by its schema name in the API reference. Modules exchange
 * records instead of view classes, so the class itself is not available.
 */
export function Embedded(view: string, options: FieldOptions & { list?: boolean } = {}): PropertyDecorator {
  const reference = { $ref: `#/components/schemas/${view}` };
  const schema = options.list ? { type: 'array', items: reference } : { type: 'object', oneOf: [reference] };
  return field(options, schema as unknown as ApiPropertyOptions);
}

/** Documents a response field as an object with arbitrary keys and values of one view. */
export function EmbeddedMap(view: string, options: FieldOptions = {}): PropertyDecorator {
  const schema = { type: 'object', additionalProperties: { $ref: `#/components/schemas/${view}` } };
  return field(options, schema as unknown as ApiPropertyOptions);
}

/** Documents a response field of any type, including null. */
export function AnyValue(options: FieldOptions = {}): PropertyDecorator {
  return field(options, { type: ANY_TYPE } as unknown as ApiPropertyOptions);
}
