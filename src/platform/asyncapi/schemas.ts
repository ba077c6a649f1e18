import type { Json, JsonObject } from '../schemas/json.js';

/** @returns the schemas that the value refers to, directly or through other schemas */
export function reachableFrom(value: Json, schemas: Record<string, JsonObject>): Record<string, JsonObject> {
  const found = new Set<string>();
  const follow = (inner: Json): void => {
    if (typeof inner !== 'object' || inner === null) return;
    const name = '$ref' in inner ? /^#\/components\/schemas\/(.+)$/.exec(String(inner.$ref))?.[1] : undefined;
    if (name !== undefined && !found.has(name)) {
      const schema = schemas[name];
      if (!schema) throw new Error(`A frame refers to ${name}, which the API reference does not define`);
      found.add(name);
      follow(schema);
    }
    Object.values(inner).forEach(follow);
  };
  follow(value);
  return Object.fromEntries([...found].sort().map(name => [name, plain(schemas[name] ?? {}) as JsonObject]));
}

/** Converts a schema to AsyncAPI: no members beside a `$ref`, and `examples` instead of `example`. */
function plain(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, example, properties, ...others } = schema;
  const rest: JsonObject = {
    ...Object.fromEntries(
      Object.entries(others).map(([key, inner]) => [key, SUBSCHEMAS.has(key) ? plain(inner) : inner]),
    ),
    ...(properties === undefined ? {} : { properties: mapped(properties) }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
  if (typeof $ref !== 'string') return rest;
  return Object.keys(rest).length === 0 ? { $ref } : { ...rest, allOf: [{ $ref }] };
}

const SUBSCHEMAS = new Set(['items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not']);

function mapped(properties: Json): JsonObject {
  return Object.fromEntries(Object.entries(properties as JsonObject).map(([name, schema]) => [name, plain(schema)]));
}
