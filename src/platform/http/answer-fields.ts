import type { ApiPropertyOptions } from '@nestjs/swagger';
import { ANY_TYPE } from '../openapi/modernise.js';
import type { FieldOptions } from './field.js';
import { field } from './field.js';

/**
 * In an answer: another module's view, by the name under which the API reference has it. Modules hand each other
 * records, not wire shapes; this keeps the reference one.
 */
export function Embedded(view: string, options: FieldOptions & { list?: boolean } = {}): PropertyDecorator {
  const reference = { $ref: `#/components/schemas/${view}` };
  const schema = options.list ? { type: 'array', items: reference } : { type: 'object', oneOf: [reference] };
  return field(options, schema as unknown as ApiPropertyOptions);
}

/** In an answer: an object whose members, whatever their names, are all of one shape. */
export function EmbeddedMap(view: string, options: FieldOptions = {}): PropertyDecorator {
  const schema = { type: 'object', additionalProperties: { $ref: `#/components/schemas/${view}` } };
  return field(options, schema as unknown as ApiPropertyOptions);
}

/** In an answer: whatever a field of some record can hold, null too. */
export function AnyValue(options: FieldOptions = {}): PropertyDecorator {
  return field(options, { type: ANY_TYPE } as unknown as ApiPropertyOptions);
}
