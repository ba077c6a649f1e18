import type { Operation, Parameter } from './operation.js';
import { honoursIdempotencyKey, IDEMPOTENCY_KEY } from './operation.js';

/**
 * Completes the parameters of an operation. Ids in the path are described by the collection before them. Headers other
 * than `Idempotency-Key` are left out, because no handler requires one.
 * @throws when a parameter has no description
 */
export function parametersOf(path: string, operation: Operation): Parameter[] {
  const parameters = (operation.parameters ?? [])
    .filter(parameter => parameter.in !== 'header')
    .map(parameter => (parameter.in === 'path' ? pathParameter(path, parameter) : parameter));
  const undescribed = parameters.find(parameter => !parameter.description);
  if (undescribed) throw new Error(`${operation.operationId}: the parameter ${undescribed.name} has no description`);
  return honoursIdempotencyKey(operation) ? [...parameters, IDEMPOTENCY_KEY] : parameters;
}

function pathParameter(path: string, parameter: Parameter): Parameter {
  const collection = path.split('/').at(path.split('/').indexOf(`{${parameter.name}}`) - 1) ?? '';
  const noun = collection.replaceAll('-', ' ').replace(/^api /, 'API ').replace(/s$/, '');
  return {
    ...parameter,
    description: `The id of the ${noun}. 404 \`not_found\` for an id that is malformed, unknown or not the caller's.`,
    schema: { type: 'string', format: 'uuid' },
  };
}
