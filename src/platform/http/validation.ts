import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { FieldFault } from '../../kernel/domain-error.js';
import { NotFound, ValidationFailed } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';

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
const MOST_FAULTS = 200;

/** All faulty fields at once; unknown fields are ignored; free-form objects pass untouched. */
export function requestValidation(): PipeTransform {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidUnknownValues: false,
    exceptionFactory: errors => new ValidationFailed({ details: faultsOf(errors).slice(0, MOST_FAULTS) }),
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
