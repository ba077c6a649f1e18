import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';

/**
 * One decorator a field: it validates what comes in and documents what goes out, so that the two cannot differ.
 * A field is required and not null unless it says otherwise. `optional` means absent or valid: null is refused, which
 * class-validator's own IsOptional lets pass.
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
    // said either way: a field that is declared anew in a subclass keeps what it does not say of its parent's
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

/** A rule of the noun's own, beside the field decorator that it sharpens. `message` follows the field's name. */
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
