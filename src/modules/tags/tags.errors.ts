import type { DomainError } from '../../kernel/domain-error.js';
import { ValidationFailed } from '../../kernel/errors.js';

/** 400 for a tag in a body that does not exist. A tag in a path is 404 instead. */
export function unknownTag(field: string): DomainError {
  return new ValidationFailed({
    details: [{ field, code: 'unknown', message: `${field} is no tag of this workspace` }],
  });
}
