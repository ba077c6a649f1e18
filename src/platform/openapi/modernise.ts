import type { Json, JsonObject } from './json.js';

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Stands where any value may: of itself the writer of documents would take it for an object. */
export const ANY_TYPE = 'any';

/**
 * From the dialect of OpenAPI 3.0, which the decorators speak, to JSON Schema as 3.1 has it: `nullable` becomes a type,
 * a reference wrapped to carry a description becomes a reference beside it.
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

/** `allOf`/`oneOf` of one reference is that reference. */
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
  const { nullable: may, ...rest } = object;
  if (!may) return rest;
  if (typeof rest.$ref === 'string') {
    const { $ref, ...around } = rest;
    return { ...around, oneOf: [{ $ref }, { type: 'null' }] };
  }
  const values: JsonObject = Array.isArray(rest.enum) ? { enum: [...rest.enum, null] } : {};
  return { ...rest, type: [rest.type ?? 'object', 'null'], ...values };
}
