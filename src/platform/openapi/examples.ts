import type { Json, JsonObject } from './json.js';

type Schemas = Record<string, JsonObject>;

const ID = '019a4ac6-3f1e-7c3a-9b5d-2e8f4a1c7d60';

/**
 * A value that fits the schema, made of the examples of its fields: every required field, and each optional one that
 * carries an example of its own.
 * @throws when a required text has no example
 */
export function exampleOf(schema: JsonObject, schemas: Schemas, place = ''): Json {
  const found = dereference(schema, schemas);
  if (found.example !== undefined) return found.example;
  if (found.const !== undefined) return found.const;
  if (Array.isArray(found.enum)) return found.enum[0] ?? null;
  const type = Array.isArray(found.type) ? found.type[0] : found.type;
  if (type === 'object') return objectExample(found, schemas, place);
  if (type === 'array') return [exampleOf((found.items ?? {}) as JsonObject, schemas, `${place}[]`)];
  if (type === 'integer') return found.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'string' && found.format === 'uuid') return ID;
  throw new Error(`${place} has no example`);
}

function objectExample(schema: JsonObject, schemas: Schemas, place: string): JsonObject {
  const required = (schema.required ?? []) as string[];
  const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
  const shown = Object.entries(properties).filter(
    ([name, property]) => required.includes(name) || (property.example !== undefined && property.type !== 'integer'),
  );
  return Object.fromEntries(
    shown.map(([name, property]) => [name, exampleOf(property, schemas, place === '' ? name : `${place}.${name}`)]),
  );
}

function dereference(schema: JsonObject, schemas: Schemas): JsonObject {
  const [choice] = Array.isArray(schema.oneOf) ? (schema.oneOf as JsonObject[]) : [schema];
  const name = typeof choice?.$ref === 'string' ? choice.$ref.replace('#/components/schemas/', '') : undefined;
  if (name === undefined) return choice ?? {};
  const target = schemas[name];
  if (!target) throw new Error(`no schema is called ${name}`);
  return dereference(target, schemas);
}
