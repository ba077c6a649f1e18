import type { Json, JsonObject } from './json.js';

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A marker type for any value, because `@nestjs/swagger` would document an absent type as an object. */
export const ANY_TYPE = 'any';

/**
 * Converts the OpenAPI 3.0 schemas of the decorators to JSON Schema as in OpenAPI 3.1. `nullable` becomes a type, and a
 * reference wrapped only to add a description becomes a plain reference beside it.
 */
export function modernise(value: Json): Json {
  if (Array.isArray(value)) return value.map(modernise);
  if (!isObject(value)) return value;
  const object = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, modernise(inner)]));
  return nullable(unwrap(object.type === ANY_TYPE ? without(object, 'type', 'nullable') : object));
}

export function without({ ...object }: JsonObject, ...names: string[]): JsonObject {
  for (const name of names) delete object[name];
  return object;
}

/** Replaces `allOf` or `oneOf` of a single reference by the reference. */
function unwrap(object: JsonObject): JsonObject {
  for (const wrapper of ['allOf', 'oneOf']) {
    const inner = object[wrapper];
    const [only] = Array.isArray(inner) && inner.length === 1 ? inner : [];
    if (isObject(only) && typeof only.$ref === 'string') {
      const { [wrapper]: _wrapper, type: _type, ...rest } = object;
      return { ...rest, $ref: only.$ref };
    }
  }
  return object;
}

function nullable(object: JsonObject): JsonObject {
  if (typeof object.nullable !== 'boolean') return object;
  const { nullable: isNullable, ...rest } = object;
  if (!isNullable) return rest;
  if (typeof rest.$ref === 'string') {
    const { $ref, ...others } = rest;
    return { ...others, oneOf: [{ $ref }, { type: 'null' }] };
  }
  const values: JsonObject = Array.isArray(rest.enum) ? { enum: [...rest.enum, null] } : {};
  return { ...rest, type: [rest.type ?? 'object', 'null'], ...values };
}
