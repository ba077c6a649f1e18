import type { Json, JsonObject } from '../schemas/json.js';

type Schemas = Record<string, JsonObject>;

const ID = '019a4ac6-3f1e-7c3a-9b5d-2e8f4a1c7d60';

/**
 * Builds an example of a schema from the examples of its fields: all required fields, and the optional ones with an
 * example.
 * @param path of the schema, for errors
 * @throws when a required text has no example
 */
export function exampleOf(schema: JsonObject, schemas: Schemas, path = ''): Json {
  const found = dereference(schema, schemas);
  if (found.example !== undefined) return found.example;
  if (found.const !== undefined) return found.const;
  if (Array.isArray(found.enum)) return found.enum[0] ?? null;
  const type = Array.isArray(found.type) ? found.type[0] : found.type;
  if (type === 'object') return objectExample(found, schemas, path);
  if (type === 'array') return [exampleOf((found.items ?? {}) as JsonObject, schemas, `${path}[]`)];
  if (type === 'integer') return found.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'string' && found.format === 'uuid') return ID;
  throw new Error(`${path} has no example`);
}

function objectExample(schema: JsonObject, schemas: Schemas, path: string): JsonObject {
  const required = (schema.required ?? []) as string[];
  const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
  const shown = Object.entries(properties).filter(
    ([name, property]) => required.includes(name) || (property.example !== undefined && property.type !== 'integer'),
  );
  return Object.fromEntries(
    shown.map(([name, property]) => [name, exampleOf(property, schemas, path === '' ? name : `${path}.${name}`)]),
  );
}

function dereference(schema: JsonObject, schemas: Schemas): JsonObject {
  const [choice] = Array.isArray(schema.oneOf) ? (schema.oneOf as JsonObject[]) : [schema];
  const name = typeof choice?.$ref === 'string' ? choice.$ref.replace('#/components/schemas/', '') : undefined;
  if (name === undefined) return choice ?? {};
  const target = schemas[name];
  if (!target) throw new Error(`There is no schema named ${name}`);
  return dereference(target, schemas);
}
