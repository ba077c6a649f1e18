import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError, ValidatorOptions } from 'class-validator';
import type { FieldFault } from '../../kernel/domain-error.js';
import { NotFound, ValidationFailed } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import { CompiledShapes } from './compiled-shape.js';
import { hasNativeKeys, isFreeForm } from './field-rules.js';

/** The code of a fault by the constraint that found it; what is not listed is a fault of form. */
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
    const own = name
      ? [
          error.value === undefined
            ? { field, code: 'required', message: `${error.property} is required` }
            : { field, code: CODES[name] ?? 'format', message: message ?? '' },
        ]
      : [];
    return [...own, ...faultsOf(error.children ?? [], field)];
  });
}

/** Enough for every field that a person fills in; a list of ten thousand faulty items is not told item by item. */
const MAX_FAULTS = 200;

/**
 * On its way to a handler a body loses keys such as `constructor` (Nest takes them out) and `toString` (class-transformer
 * does not copy what JavaScript has methods for). In a free-form object they are words of the client's like any other,
 * so there they are put back before the rules are asked.
 */
class RequestValidation extends ValidationPipe {
  private readonly shapes = new CompiledShapes();
  private raw: unknown;

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // an id in a path: there is nothing to ask
    if (metadata.metatype === String && typeof value === 'string') return value as never;
    if (metadata.type !== 'body' || !hasNativeKeys(value)) {
      const read = metadata.type === 'custom' ? null : this.shapes.read(metadata.metatype, value);
      return (read as never) ?? super.transform(value, metadata);
    }
    const own = Object.create(this) as RequestValidation;
    own.raw = structuredClone(value);
    return ValidationPipe.prototype.transform.call(own, value, metadata);
  }

  protected override validate(
    object: object,
    options?: ValidatorOptions,
  ): Promise<ValidationError[]> | ValidationError[] {
    if (this.raw !== undefined) restoreFreeForm(object, this.raw);
    return super.validate(object, options);
  }
}

/** Gives the free-form objects of a body back what the raw body has in their places. */
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

/** All faulty fields at once; unknown fields are ignored; free-form objects pass untouched. */
export function requestValidation(): PipeTransform {
  return new RequestValidation({
    transform: true,
    whitelist: true,
    forbidUnknownValues: false,
    exceptionFactory: errors => new ValidationFailed({ details: faultsOf(errors).slice(0, MAX_FAULTS) }),
  });
}

/** Refuses one field of a request for a reason that its form alone does not show. */
export function invalidField(field: string, code: string, message: string): never {
  throw new ValidationFailed({ details: [{ field, code, message }] });
}

/** A malformed id in a path names nothing: 404, and the database is not asked. */
@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  transform(value: string, _metadata: ArgumentMetadata): string {
    if (!isId(value)) throw new NotFound();
    return value;
  }
}
