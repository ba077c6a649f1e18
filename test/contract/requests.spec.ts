import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiDocument } from '../../src/platform/openapi/document.js';
import type { JsonObject } from '../../src/platform/openapi/json.js';
import { presentReference } from '../support/preview.js';

type Operation = ApiDocument['paths'][string][string];

let api: ApiDocument;
beforeAll(async () => {
  api = await presentReference();
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

/** Where a shape allows null, by dotted path; objects in it are followed, what stands in lists is not. */
function nullsOf(schema: JsonObject, path = ''): string[] {
  const { $ref, oneOf, type } = schema as { $ref?: string; oneOf?: JsonObject[]; type?: string | string[] };
  if ($ref !== undefined) return nullsOf(api.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, path);
  const nullable = [type].flat().includes('null') || (oneOf ?? []).some(one => one.type === 'null');
  const inner = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  return [
    ...(nullable ? [path] : []),
    ...(oneOf ?? []).filter(one => one.type !== 'null').flatMap(one => nullsOf(one, path)),
    ...inner.flatMap(([name, shape]) => nullsOf(shape, path === '' ? name : `${path}.${name}`)),
  ];
}

function bodyOf({ requestBody }: Operation): JsonObject {
  const { content } = (requestBody ?? {}) as { content?: Record<string, { schema: JsonObject }> };
  return content?.['application/json']?.schema ?? {};
}

/** What the resource shows that a route changes; a visitor sees less of its contact than there is. */
function resourceOf(operation: Operation): JsonObject {
  const view = operation['x-answer']?.view ?? '';
  return api.components.schemas[view === 'VisitorContactView' ? 'ContactView' : view] ?? {};
}

describe('null in a body', () => {
  it('clears by PATCH what the resource shows as null, and nothing else', () => {
    const patches = operations().filter(({ method }) => method === 'patch');
    expect(patches.length).toBeGreaterThan(5);
    for (const { name, operation } of patches) {
      const shown = new Set(nullsOf(resourceOf(operation)));
      expect([name, nullsOf(bodyOf(operation)).filter(field => !shown.has(field))]).toEqual([name, []]);
    }
    expect(nullsOf(bodyOf(api.paths['/v1/channels/{id}']?.patch as Operation)).sort()).toEqual([
      'auto_resolve_hours',
      'business_hours',
      'widget_config.theme.logo_url',
    ]);
  });

  it('is in no POST, but to leave a conversation to nobody', () => {
    const posts = operations().filter(({ method }) => method === 'post');
    const allowed = posts.flatMap(({ name, operation }) => nullsOf(bodyOf(operation)).map(field => `${name} ${field}`));
    expect(allowed).toEqual(['POST /v1/conversations/{id}/assign member_id']);
  });
});

describe('the header Idempotency-Key', () => {
  it('is offered where it is honoured: by every authenticated POST that creates', () => {
    const offering = operations().filter(({ operation }) =>
      operation.parameters?.some(({ name, in: place }) => name === 'Idempotency-Key' && place === 'header'),
    );
    const honouring = operations().filter(
      ({ operation }) => operation['x-answer']?.creates && operation['x-access']?.public === false,
    );
    expect(offering.map(({ name }) => name)).toEqual(honouring.map(({ name }) => name));
    expect(offering.map(({ name }) => name)).toContain('POST /v1/workspace/members');
    expect(offering.map(({ name }) => name)).not.toContain('POST /v1/auth/register');
  });

  it('is the only one: what else a route reads of a request, no caller has to think of', () => {
    const headers = operations().flatMap(({ name, operation }) =>
      (operation.parameters ?? []).filter(parameter => parameter.in === 'header').map(header => [name, header.name]),
    );
    expect(headers.filter(([, header]) => header !== 'Idempotency-Key')).toEqual([]);
  });
});
