import { readFileSync } from 'node:fs';
import type { ApiDocument } from '../../src/platform/openapi/document.js';
import type { JsonObject } from '../../src/platform/schemas/json.js';
import { unique } from './world.js';

/** A path whose rows can be listed, created, read, changed and deleted, as the API reference documents it. */
export interface Collection {
  /** `bots` */
  name: string;
  /** `/v1/bots` */
  path: string;
  /** The name of a row's schema. */
  view: string;
  /** A valid body for a new row: its required fields with their examples. */
  newRow: () => JsonObject;
  /** A valid change of one field. */
  change: () => JsonObject;
}

type Operation = ApiDocument['paths'][string][string];

/** The reference as committed; `npm run check` fails when it is stale. */
export function committedReference(): ApiDocument {
  return JSON.parse(readFileSync('docs/generated/openapi.json', 'utf8')) as ApiDocument;
}

/** Lists every collection of the API. A new resource appears here without being named in any test. */
export function collectionsOf(document: ApiDocument): Collection[] {
  const { paths } = document;
  return Object.entries(paths).flatMap(([path, { get, post }]) => {
    const row = paths[`${path}/{id}`];
    if (!get || !post || !row?.get || !row.patch || !row.delete) return [];
    const { required = [] } = schemaOf(document, post) as { required?: string[] };
    const [first = ''] = Object.keys(exampleOf(row.patch));
    return {
      name: path.split('/').at(-1) ?? '',
      path,
      view: viewOf(row.get),
      newRow: () => sample(document, post, required),
      change: () => sample(document, row.patch as Operation, [first]),
    };
  });
}

/** The examples of some fields of a body. Texts are made unique where their pattern allows it. */
function sample(document: ApiDocument, operation: Operation, fields: readonly string[]): JsonObject {
  const { properties } = schemaOf(document, operation) as { properties: Record<string, JsonObject> };
  const example = exampleOf(operation);
  return Object.fromEntries(
    fields.map(field => [field, varied(example[field], properties[field] ?? {})]),
  ) as JsonObject;
}

function varied(value: unknown, { format, enum: values, pattern }: JsonObject): unknown {
  if (typeof value !== 'string' || format !== undefined || values !== undefined) return value;
  const text = unique(value);
  return pattern === undefined || new RegExp(pattern as string).test(text) ? text : value;
}

interface JsonContent {
  content: { 'application/json': { schema: JsonObject; example?: JsonObject } };
}

function bodyOf({ requestBody }: Operation): JsonContent['content']['application/json'] {
  return (requestBody as unknown as JsonContent).content['application/json'];
}

function exampleOf(operation: Operation): JsonObject {
  return bodyOf(operation).example ?? {};
}

function schemaOf({ components }: ApiDocument, operation: Operation): JsonObject {
  return components.schemas[nameIn(bodyOf(operation).schema)] ?? {};
}

function viewOf({ responses }: Operation): string {
  const { schema } = (responses['200'] as unknown as JsonContent).content['application/json'];
  return nameIn((schema as { properties: { data: JsonObject } }).properties.data);
}

function nameIn({ $ref }: JsonObject): string {
  return String($ref).split('/').at(-1) ?? '';
}
