import { exampleOf } from './examples.js';
import type { JsonObject } from '../schemas/json.js';
import type { Operation } from './operation.js';

/**
 * Completes a request body with an example. It is required if one of its fields is.
 * @param schemas of the finished document
 */
export function completeBody(operation: Operation, schemas: Record<string, JsonObject>): void {
  const { requestBody } = operation;
  const content = requestBody?.content['application/json'];
  if (!requestBody || !content) return;
  const name = String(content.schema.$ref).replace('#/components/schemas/', '');
  const { required = [] } = schemas[name] ?? {};
  requestBody.required = (required as string[]).length > 0;
  const example = exampleOf(content.schema, schemas, name);
  if (Object.keys(example as JsonObject).length > 0) content.example = example;
}
