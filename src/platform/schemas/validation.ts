import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { Injectable, ValidationPipe } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import type { ValidationError, ValidatorOptions } from 'class-validator';
import { validateSync } from 'class-validator';
import type { FieldFault } from '../../kernel/domain-error.js';
import { NotFound, ValidationFailed } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import { CompiledShapes } from '../schemas/compiled-shape.js';
import { hasNativeKeys, isFreeForm } from '../schemas/field-rules.js';

/** The fault code of each class-validator constraint. Any other constraint gives `format`. */
const CODES: Record<string, string> = {
  isString: 'type',
  isBoolean: 'type',
  isInt: 'type',
  isArray: 'type',
  isObject: 'type',
  minLength: 'too_short',
  maxLength: 'too_long',
  min: 'too_small',
  max: 'too_large',
  arrayMaxSize: 'too_many',
  arrayUnique: 'duplicate',
  isIn: 'not_allowed',
};

function faultsOf(errors: ValidationError[], path = ''): FieldFault[] {
  return errors.flatMap(error => {
    const index = /^\d+$/.test(error.property);
    const field = index ? `${path}[${error.property}]` : path ? `${path}.${error.property}` : error.property;
    const [name, message] = Object.entries(error.constraints ?? {}).at(-1) ?? [];
    const faults = name
      ? [
          error.value === undefined
            ? { field, code: 'required', message: `${error.property} is required` }
            : { field, code: CODES[name] ?? 'format', message: message ?? '' },
        ]
      : [];
    return [...faults, ...faultsOf(error.children ?? [], field)];
  });
}

/** Enough for every form. A list of ten thousand faulty items is not reported item by item. */
const MAX_FAULTS = 200;

/**
 * Validates bodies and queries, and keeps all keys of free-form objects. Nest removes keys such as `constructor`, and
 * class-transformer does not copy keys such as `toString`; free-form objects get them back before validation.
 */
class RequestValidation extends ValidationPipe {
  private readonly shapes = new CompiledShapes();
  private raw: unknown;

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // a path parameter, which has no rules
    if (metadata.metatype === String && typeof value === 'string') return value as never;
    if (metadata.type !== 'body' || !hasNativeKeys(value)) {
      const read = metadata.type === 'custom' ? null : this.shapes.read(metadata.metatype, value);
      return (read as never) ?? super.transform(value, metadata);
    }
    const withRaw = Object.create(this) as RequestValidation;
    withRaw.raw = structuredClone(value);
    return ValidationPipe.prototype.transform.call(withRaw, value, metadata);
  }

  protected override validate(
    object: object,
    options?: ValidatorOptions,
  ): Promise<ValidationError[]> | ValidationError[] {
    if (this.raw !== undefined) restoreFreeForm(object, this.raw);
    return super.validate(object, options);
  }
}

/** Replaces the free-form objects of a body by those of the raw body. */
function restoreFreeForm(entity: object, raw: unknown): void {
  if (!isRecord(entity) || !isRecord(raw)) return;
  for (const [key, value] of Object.entries(entity)) {
    if (isFreeForm(entity, key)) entity[key] = raw[key];
    else if (isRecord(value)) restoreFreeForm(value, raw[key]);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Reports all faulty fields at once, ignores unknown fields and keeps free-form objects unchanged. */
export function requestValidation(): PipeTransform {
  return new RequestValidation({
    transform: true,
    whitelist: true,
    forbidUnknownValues: false,
    exceptionFactory: errors => new ValidationFailed({ details: faultsOf(errors).slice(0, MAX_FAULTS) }),
  });
}

/**
 * Validates an object that is part of a body like a body of its own.
 * @param field the name of the part @throws ValidationFailed
 */
export function readShape<Shape extends object>(type: new () => Shape, value: object, field: string): Shape {
  const shape = plainToInstance(type, withoutNativeKeys(value));
  const errors = validateSync(shape, { whitelist: true, forbidUnknownValues: false });
  if (errors.length > 0) throw new ValidationFailed({ details: faultsOf(errors, field) });
  return shape;
}

/** class-transformer would take such keys for the object's own class or methods. */
function withoutNativeKeys(value: object): object {
  return JSON.parse(JSON.stringify(value), (key, item: unknown) =>
    key in Object.prototype ? undefined : item,
  ) as object;
}

/** @throws ValidationFailed for one field, for a rule that the field's decorators cannot check */
export function invalidField(field: string, code: string, message: string): never {
  throw new ValidationFailed({ details: [{ field, code, message }] });
}

/** Answers a malformed id in a path with 404, without a database query. */
@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  transform(value: string, _metadata: ArgumentMetadata): string {
    if (!isId(value)) throw new NotFound();
    return value;
  }
}
