import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';

/**
 * Options of all field decorators. One decorator both validates a field and documents it, so that the two cannot
 * differ.
 *
 * A field is required and not null by default. `optional` allows an absent field but not null, which class-validator's
 * `IsOptional` would accept.
 */
export interface FieldOptions {
  optional?: boolean;
  nullable?: boolean;
  description?: string;
  example?: unknown;
}

interface Shape extends FieldOptions {
  each?: boolean;
}

export function field(
  options: Shape,
  schema: ApiPropertyOptions,
  ...validators: PropertyDecorator[]
): PropertyDecorator {
  const documented = {
    ...schema,
    required: !options.optional,
    // always set: a field redeclared in a subclass would otherwise inherit it from the parent's
    nullable: options.nullable ?? false,
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.example === undefined ? {} : { example: options.example }),
  } as ApiPropertyOptions;
  const skip = (value: unknown) =>
    (options.optional === true && value === undefined) || (options.nullable === true && value === null);
  return applyDecorators(
    ApiProperty(documented),
    ValidateIf((_object, value) => !skip(value)),
    ...validators,
  );
}

/**
 * Adds a rule to a field besides its field decorator.
 * @param message follows the field's name, as in `must be an id`
 */
export function Rule(
  name: string,
  test: (value: unknown) => boolean,
  message: string,
  each = false,
): PropertyDecorator {
  return ValidateBy(
    { name, validator: { validate: value => test(value), defaultMessage: () => `$property ${message}` } },
    { each },
  );
}
