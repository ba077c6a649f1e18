import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { normaliseEmail } from '../../kernel/email.js';
import { isId } from '../../kernel/ids.js';
import type { FieldOptions } from '../schemas/field.js';
import { field, Rule } from '../schemas/field.js';
import { codePoints, freeFormFault, isStorable, isWireTime, markFreeForm } from './field-rules.js';

/** Counts code points, as JSON Schema does. class-validator's own length rules do not count some characters. */
function characters(min: number, max: number, each = false): PropertyDecorator[] {
  const counted = (isValid: (count: number) => boolean) => (value: unknown) =>
    typeof value === 'string' && isValid(codePoints(value));
  return [
    Rule(
      'minLength',
      counted(count => count >= min),
      `must have at least ${min} characters`,
      each,
    ),
    Rule(
      'maxLength',
      counted(count => count <= max),
      `must have at most ${max} characters`,
      each,
    ),
  ];
}

export interface TextOptions extends FieldOptions {
  /** Characters; 1 by default. */
  min?: number;
  /** Characters; 200 by default. */
  max?: number;
  pattern?: RegExp;
  format?: string;
}

/** Text without U+0000 and unpaired surrogates, which PostgreSQL cannot store. */
export function Text(options: TextOptions = {}): PropertyDecorator {
  const { min = 1, max = 200, pattern } = options;
  const schema: ApiPropertyOptions = {
    type: String,
    maxLength: max,
    ...(min > 0 ? { minLength: min } : {}),
    ...(pattern ? { pattern: pattern.source } : {}),
    ...(options.format ? { format: options.format } : {}),
  };
  return field(
    options,
    schema,
    IsString(),
    ...characters(min, max),
    Rule('storable', isStorable, 'must not contain U+0000 or broken characters'),
    ...(pattern ? [Matches(pattern)] : []),
  );
}

/** A resource id. A malformed id is 400 in a body and 404 in a path. */
export function Id(options: FieldOptions = {}): PropertyDecorator {
  return field(options, { type: String, format: 'uuid' }, Rule('id', isId, 'must be an id'));
}

/** An e-mail address. The handler gets it normalized, as it is stored. */
export function Email(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? (normaliseEmail(value) ?? value) : (value as unknown))),
    field(
      options,
      { type: String, format: 'idn-email', maxLength: 254, example: 'ada@example.com' },
      Rule('email', value => typeof value === 'string' && normaliseEmail(value) !== null, 'must be an e-mail address'),
    ),
  );
}

/** A boolean. @param options `fromQuery`: also accept its text, as in a query string */
export function Flag({
  fromQuery = false,
  ...options
}: FieldOptions & { fromQuery?: boolean } = {}): PropertyDecorator {
  const read = ({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value);
  return applyDecorators(...(fromQuery ? [Transform(read)] : []), field(options, { type: Boolean }, IsBoolean()));
}

/** An integer. @param options `fromQuery`: also accept its text, as in a query string */
export function Integer(
  options: FieldOptions & { min?: number; max?: number; fromQuery?: boolean } = {},
): PropertyDecorator {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  // without an example, the reference would show the largest safe integer
  const example = options.max === undefined ? { example: Math.max(min, 1) } : {};
  const schema: ApiPropertyOptions = { type: 'integer', minimum: min, maximum: max, ...example };
  const read = ({ value }: { value: unknown }) =>
    typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return applyDecorators(
    ...(options.fromQuery ? [Transform(read)] : []),
    field(options, schema, IsInt(), Min(min), Max(max)),
  );
}

/** A number of at least 0, such as seconds with a fraction. */
export function Decimal(options: FieldOptions = {}): PropertyDecorator {
  return field(options, { type: 'number', minimum: 0, example: 12.5 }, IsNumber(), Min(0));
}

/** A list of counts. */
export function Counts(options: FieldOptions & { items: number }): PropertyDecorator {
  const { items } = options;
  const schema: ApiPropertyOptions = {
    type: 'array',
    items: { type: 'integer', minimum: 0 },
    minItems: items,
    maxItems: items,
  };
  return field(options, schema, IsArray(), IsInt({ each: true }), Min(0, { each: true }));
}

/**
 * One of the values.
 * @param options `reserved`: values that only the service sets, which the resource's rules reject
 */
export function Choice(
  values: readonly string[],
  options: FieldOptions & { reserved?: readonly string[] } = {},
): PropertyDecorator {
  const { reserved = [] } = options;
  return field(options, { type: String, enum: [...values] }, IsIn([...values, ...reserved]));
}

/** An ISO 8601 time with a zone. It stays text; services convert it to a `Date`. */
export function Time(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: String, format: 'date-time', example: '2026-01-31T09:30:00.123456Z' },
    Rule('time', isWireTime, 'must be an ISO 8601 time with a zone'),
  );
}

/** A list of texts. */
export function Texts(
  options: FieldOptions & { maxItems: number; max?: number; pattern?: RegExp; values?: readonly string[] },
): PropertyDecorator {
  const { max = 200, maxItems, pattern, values } = options;
  const items = {
    type: 'string' as const,
    maxLength: max,
    ...(pattern ? { pattern: pattern.source } : {}),
    ...(values ? { enum: [...values] } : {}),
  };
  return field(
    options,
    { type: 'array', items, maxItems },
    IsArray(),
    ArrayMaxSize(maxItems),
    IsString({ each: true }),
    ...characters(1, max, true),
    Rule('storable', isStorable, 'must not contain U+0000 or broken characters', true),
    ...(pattern ? [Matches(pattern, { each: true })] : []),
    ...(values ? [IsIn([...values], { each: true })] : []),
  );
}

/** A list of unique ids. @param options `repeatable`: an id may be listed twice */
export function Ids(options: FieldOptions & { maxItems?: number; repeatable?: boolean } = {}): PropertyDecorator {
  const { maxItems = 1000, repeatable = false } = options;
  return field(
    options,
    { type: 'array', items: { type: 'string', format: 'uuid' }, maxItems },
    IsArray(),
    ArrayMaxSize(maxItems),
    ...(repeatable ? [] : [ArrayUnique()]),
    Rule('id', isId, 'must contain ids', true),
  );
}

type ClassRef = new () => object;

/** An object of a known shape. */
export function Nested(shape: () => ClassRef, options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(Type(shape), field(options, { type: () => shape() }, IsObject(), ValidateNested()));
}

/** A list of objects of a known shape. */
export function NestedList(
  shape: () => ClassRef,
  options: FieldOptions & { maxItems?: number } = {},
): PropertyDecorator {
  const { maxItems = 1000 } = options;
  return applyDecorators(
    Type(shape),
    field(
      options,
      { type: () => shape(), isArray: true },
      IsArray(),
      ArrayMaxSize(maxItems),
      IsObject({ each: true }),
      ValidateNested({ each: true }),
    ),
  );
}

/** An arbitrary object of the client, stored unchanged: at most 16 KiB of JSON, 50 keys, 10 levels. */
export function FreeForm(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    markFreeForm as PropertyDecorator,
    field(
      options,
      { type: 'object', additionalProperties: true },
      Rule(
        'free_form',
        value => freeFormFault(value) === null,
        'must be an object of at most 16 KiB, 50 keys, 10 levels',
      ),
    ),
  );
}
