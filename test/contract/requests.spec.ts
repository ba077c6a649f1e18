import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiDocument } from '../../src/platform/openapi/document.js';
import type { JsonObject } from '../../src/platform/schemas/json.js';
import { writeReference } from '../support/preview.js';

type Operation = ApiDocument['paths'][string][string];

let api: ApiDocument;
beforeAll(async () => {
  api = await writeReference();
});

function operations(): { name: string; method: string; operation: Operation }[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method,
      operation,
    })),
  );
}

/** @returns dotted paths of the nullable fields of a schema, including nested objects but not array items */
function nullableFields(schema: JsonObject, path = ''): string[] {
  const { $ref, oneOf, type } = schema as { $ref?: string; oneOf?: JsonObject[]; type?: string | string[] };
  if ($ref !== undefined) return nullableFields(api.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, path);
  const nullable = [type].flat().includes('null') || (oneOf ?? []).some(one => one.type === 'null');
  const inner = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  return [
    ...(nullable ? [path] : []),
    ...(oneOf ?? []).filter(one => one.type !== 'null').flatMap(one => nullableFields(one, path)),
    ...inner.flatMap(([name, field]) => nullableFields(field, path === '' ? name : `${path}.${name}`)),
  ];
}

function bodyOf({ requestBody }: Operation): JsonObject {
  const { content } = (requestBody ?? {}) as { content?: Record<string, { schema: JsonObject }> };
  return content?.['application/json']?.schema ?? {};
}

/** @returns the view of the resource that a route changes; the full one for a visitor's contact, whose own has less */
function resourceOf(operation: Operation): JsonObject {
  const view = operation['x-answer']?.view ?? '';
  return api.components.schemas[view === 'VisitorContactView' ? 'ContactView' : view] ?? {};
}

describe('Nullable fields of request bodies', () => {
  it('A PATCH body allows null only for fields that are nullable in the resource', () => {
    const patches = operations().filter(({ method }) => method === 'patch');
    expect(patches.length).toBeGreaterThan(5);
    for (const { name, operation } of patches) {
      const shown = new Set(nullableFields(resourceOf(operation)));
      expect([name, nullableFields(bodyOf(operation)).filter(field => !shown.has(field))]).toEqual([name, []]);
    }
    expect(nullableFields(bodyOf(api.paths['/v1/channels/{id}']?.patch as Operation)).sort()).toEqual([
      'auto_resolve_hours',
      'business_hours',
      'followup_email_minutes',
      'reply_email',
      'routing.bot_id',
      'routing.reassign_after_minutes',
      'widget_config.locale',
      'widget_config.theme.logo_url',
    ]);
  });

  it('No POST body allows null, except member_id to unassign conversations', () => {
    const posts = operations().filter(({ method }) => method === 'post');
    const allowed = posts.flatMap(({ name, operation }) =>
      nullableFields(bodyOf(operation)).map(field => `${name} ${field}`),
    );
    expect(allowed).toEqual(['POST /v1/conversations/{id}/assign member_id', 'POST /v1/conversations/bulk member_id']);
  });
});

describe('The Idempotency-Key header', () => {
  it('Every authenticated POST that creates a resource, but no upload, or mails a transcript documents Idempotency-Key, and no other does', () => {
    const documented = operations().filter(({ operation }) =>
      operation.parameters?.some(parameter => parameter.name === 'Idempotency-Key' && parameter.in === 'header'),
    );
    const supported = operations().filter(
      ({ method, name, operation }) =>
        (operation['x-answer']?.creates && operation['x-access']?.public === false && !name.endsWith('/attachments')) ||
        (method === 'post' && name.endsWith('/transcript')),
    );
    expect(documented.map(({ name }) => name)).toEqual(supported.map(({ name }) => name));
    expect(documented.map(({ name }) => name)).toContain('POST /v1/workspace/members');
    expect(documented.map(({ name }) => name)).not.toContain('POST /v1/auth/register');
  });

  it('Idempotency-Key is the only documented request header', () => {
    const headers = operations().flatMap(({ name, operation }) =>
      (operation.parameters ?? []).filter(parameter => parameter.in === 'header').map(header => [name, header.name]),
    );
    expect(headers.filter(([, header]) => header !== 'Idempotency-Key')).toEqual([]);
  });
});
