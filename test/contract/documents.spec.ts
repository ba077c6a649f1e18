import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import type { App } from '../../src/app.js';
import { writeDocuments } from '../../src/bin/documents.js';
import { VARIABLES } from '../../src/config/env.js';
import { RATE_LIMITS } from '../../src/config/rate-limits.js';
import { CLOSE, closeCodes } from '../../src/kernel/close-codes.js';
import { publishedErrors } from '../../src/kernel/domain-error.js';
import { EVENT_REGISTRY } from '../../src/events.js';
import { CLIENT_FRAMES, EPHEMERAL_FRAMES, eventFramesOf, NO_DATA } from '../../src/modules/realtime/index.js';
import type { FrameDefinition } from '../../src/modules/realtime/index.js';
import { STATUS } from '../../src/platform/http/problem.js';
import type { ApiDocument } from '../../src/platform/openapi/document.js';
import type { JsonObject } from '../../src/platform/schemas/json.js';
import { CompiledReference } from '../support/compiled-reference.js';
import { Contract } from '../support/contract.js';
import { previewApp } from '../support/preview.js';
import { World } from '../support/world.js';

const EVENT_FRAMES = eventFramesOf(EVENT_REGISTRY);

const FOLDER = 'docs/generated';
const readDocument = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8');

let preview: App;
let api: ApiDocument & { info: { title: string; version: string } };
beforeAll(async () => {
  preview = await previewApp();
  api = JSON.parse(readDocument('openapi.json')) as typeof api;
});
afterAll(() => preview.close());

interface Described {
  operationId: string;
  summary: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: JsonObject }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonObject }> };
  responses: Record<string, { description: string; content: Record<string, { schema: JsonObject }> }>;
  'x-access': { public: boolean; kinds?: string[] };
}

/** @returns every operation, with its shared responses resolved */
function operations(): { name: string; path: string; operation: Described }[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]) => {
      const operation = found as unknown as Described;
      const responses = Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, resolve(response)]),
      ) as Described['responses'];
      return { name: `${method.toUpperCase()} ${path}`, path, operation: { ...operation, responses } };
    }),
  );
}

function resolve<T>(value: T): T {
  const reference = (value as { $ref?: string }).$ref;
  if (reference === undefined) return value;
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], api) as T;
}

/** Every frame of the registry, in the order of the document. */
const FRAMES = [EVENT_FRAMES, EPHEMERAL_FRAMES, CLIENT_FRAMES].flatMap(frames =>
  Object.entries<FrameDefinition>(frames),
);

function frameSchemas(): string[] {
  const schemas = FRAMES.flatMap(([, { agent, visitor }]) => [agent, visitor]);
  return schemas.filter(schema => schema !== null).filter(schema => schema !== NO_DATA);
}

/** Calls `visit` for every object in the value. */
function walk(value: unknown, visit: (object: Record<string, unknown>, path: string) => void, path = '#'): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Record<string, unknown>, path);
  for (const [key, inner] of Object.entries(value)) walk(inner, visit, `${path}/${key}`);
}

/** @returns the error codes of an operation, by status */
function codesOf({ responses }: Described): [status: number, codes: string[]][] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { content }]) => {
      const { allOf } = content['application/json']?.schema as unknown as {
        allOf: [JsonObject, { properties: { error: { properties: { code: { enum: string[] } } } } }];
      };
      return [Number(status), allOf[1].properties.error.properties.code.enum];
    });
}

/** Lints a document with the structural rules of the linter that openapi-typescript depends on. */
async function faultsOf(document: object): Promise<string[]> {
  const requireTransitive = createRequire(createRequire(import.meta.url).resolve('openapi-typescript'));
  const { createConfig, lintFromString } = requireTransitive(
    '@redocly/openapi-core',
  ) as typeof import('@redocly/openapi-core');
  const config = await createConfig({
    rules: {
      struct: 'error',
      'no-unresolved-refs': 'error',
      'no-ambiguous-paths': 'off',
      'no-identical-paths': 'error',
      'no-path-trailing-slash': 'error',
      'no-undefined-server-variable': 'error',
      'operation-operationId-unique': 'error',
      'operation-parameters-unique': 'error',
      'path-declaration-must-exist': 'error',
      'path-parameters-defined': 'error',
      'security-defined': 'error',
      'spec-components-invalid-map-name': 'error',
      'no-invalid-schema-examples': 'error',
    },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  return problems.map(({ message, location }) => `${message} ${location[0]?.pointer ?? ''}`);
}

describe('The generated documents', () => {
  it('The generated documents are up to date, and the folder has no other file', () => {
    const written = writeDocuments(preview);
    const inFolder = Object.keys(written).filter(path => dirname(path) === FOLDER);
    expect(readdirSync(FOLDER).sort()).toEqual(inFolder.map(path => basename(path)).sort());
    for (const [path, text] of Object.entries(written)) {
      // Not toEqual, which takes minutes to print the difference of two long texts.
      if (readFileSync(path, 'utf8') !== text) throw new Error(`${path} is stale: npm run docs`);
    }
  });

  it('Generating the documents twice gives the same result', () => {
    expect(writeDocuments(preview)).toEqual(writeDocuments(preview));
  });
});

describe('The OpenAPI document', () => {
  it('The OpenAPI document passes the linter’s rules for OpenAPI 3.1', async () => {
    expect(api.openapi).toBe('3.1.0');
    expect(await faultsOf(api)).toEqual([]);
  });

  it('The linter finds a missing part or an invalid schema in the OpenAPI document', async () => {
    const faults: [string, (document: typeof api) => unknown][] = [
      ['info', document => delete (document as Partial<typeof api>).info],
      ['MessageView', document => delete document.components.schemas.MessageView],
      [
        'a description',
        document => delete (document.paths['/v1/workspace']?.get?.responses['200'] as JsonObject).description,
      ],
      ['nullable', document => (document.components.schemas.MessageView = { type: 'string', nullable: true })],
    ];
    for (const [name, applyFault] of faults) {
      const document = structuredClone(api);
      applyFault(document);
      expect([name, (await faultsOf(document)).length > 0]).toEqual([name, true]);
    }
  });

  it('TypeScript types can be generated from the OpenAPI document', async () => {
    const types = astToString(await openapiTS(readDocument('openapi.json'), { silent: true }));
    for (const path of Object.keys(api.paths)) expect(types).toContain(`"${path}"`);
    const { diagnostics } = ts.transpileModule(types, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
  });

  it('The OpenAPI document has no dangling reference, and no unused schema or response', () => {
    const used = new Set<string>();
    walk(api, ({ $ref }, path) => {
      if (typeof $ref !== 'string') return;
      used.add($ref);
      expect([path, resolve({ $ref } as unknown)]).not.toEqual([path, undefined]);
    });
    const frames = frameSchemas();
    const named = Object.keys(api.components.schemas).filter(
      name => !used.has(`#/components/schemas/${name}`) && !frames.includes(name) && name !== 'FrameError',
    );
    expect(named).toEqual([]);
    const responses = Object.keys(api.components.responses ?? {});
    expect(responses.filter(name => !used.has(`#/components/responses/${name}`))).toEqual([]);
  });

  it('The schemas of the OpenAPI document are JSON Schema, without keywords of OpenAPI 3.0', () => {
    walk(api, (object, path) => {
      const old = ['nullable', 'exclusiveMinimum', 'exclusiveMaximum', 'example'].filter(
        key => key in object && !path.endsWith('/properties') && typeof object[key] === 'boolean',
      );
      expect([path, old]).toEqual([path, []]);
      if ('type' in object && Array.isArray(object.enum)) {
        const nullable = Array.isArray(object.type) && object.type.includes('null');
        expect([path, object.enum.includes(null)]).toEqual([path, nullable]);
      }
    });
  });

  it('Every schema of the OpenAPI document compiles in strict mode, and every example is valid', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
    addFormats.default(ajv);
    ajv.addFormat('idn-email', true);
    ajv.addVocabulary(['openapi', 'info', 'paths', 'components', 'tags', 'servers', 'externalDocs', 'example']);
    ajv.addSchema({ ...api, $id: 'api' } as object);
    for (const [name, schema] of Object.entries(api.components.schemas)) {
      const validate = ajv.compile({ $ref: `api#/components/schemas/${name}` });
      expect(typeof validate).toBe('function');
      for (const [property, definition] of Object.entries((schema.properties ?? {}) as Record<string, JsonObject>)) {
        if (!('example' in definition)) continue;
        const fits = ajv.validate(
          { $ref: `api#/components/schemas/${name}/properties/${property}` },
          definition.example,
        );
        expect([name, property, definition.example, fits]).toEqual([name, property, definition.example, true]);
      }
    }
  });

  it('No schema requires a property that it does not define', () => {
    walk(api.components.schemas, ({ required, properties }, path) => {
      if (!Array.isArray(required) || typeof properties !== 'object' || properties === null) return;
      const unknown = (required as string[]).filter(name => !(name in properties));
      expect([path, unknown]).toEqual([path, []]);
    });
  });

  it('Every operation has a summary, one tag and a unique operationId', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, operation } of operations()) {
      expect([name, operation.summary.length > 10, operation.tags.length]).toEqual([name, true, 1]);
      expect([name, operation.operationId]).toEqual([name, expect.stringMatching(/^[A-Z][A-Za-z]+_[a-z][A-Za-z]+$/)]);
    }
  });

  it('Every operation declares the parameters of its path, each with a schema', () => {
    for (const { name, path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '');
      const declared = (operation.parameters ?? []).filter(parameter => parameter.in === 'path');
      expect([name, declared.map(parameter => parameter.name).sort()]).toEqual([name, inPath.sort()]);
      for (const parameter of operation.parameters ?? []) {
        expect([name, parameter.name, 'type' in parameter.schema || '$ref' in parameter.schema]).toEqual([
          name,
          parameter.name,
          true,
        ]);
        if (parameter.in === 'path') expect(parameter.required).toBe(true);
      }
    }
  });

  it('Every operation requires the credentials that its route accepts, and none if it is public', () => {
    const schemes = Object.keys(api.components.securitySchemes);
    for (const { name, operation } of operations()) {
      const required = (operation.security ?? []).flatMap(Object.keys).sort();
      expect([name, required]).toEqual([name, [...(operation['x-access'].kinds ?? [])].sort()]);
      expect(schemes).toEqual(expect.arrayContaining(required));
    }
  });

  it('Every response of every operation is in the envelope', () => {
    for (const { name, operation } of operations()) {
      const successes = Object.keys(operation.responses).filter(status => Number(status) < 400);
      expect([name, ['200', '200,201'].includes(successes.sort().join())]).toEqual([name, true]);
      for (const [status, { content, description }] of Object.entries(operation.responses)) {
        const schema = content['application/json']?.schema as JsonObject;
        expect([name, status, description.length > 0, Object.keys(content)]).toEqual([
          name,
          status,
          true,
          ['application/json'],
        ]);
        const envelope = Number(status) < 400 ? schema : (api.components.schemas.Failure as JsonObject);
        const data = Number(status) < 400 ? 'data' : 'error';
        expect([name, status, envelope.required]).toEqual([
          name,
          status,
          expect.arrayContaining(['ok', 'request_id', 'timestamp', data]),
        ]);
      }
    }
  });

  it('Every request body is JSON, or a file', () => {
    for (const { name, operation } of operations()) {
      if (!operation.requestBody) continue;
      expect([name, Object.keys(operation.requestBody.content)]).toEqual([
        name,
        [name.endsWith('/attachments') ? 'multipart/form-data' : 'application/json'],
      ]);
    }
  });

  it('GET /openapi.json serves the document, and /docs a readable reference with all its assets', async () => {
    const world = await World.start();
    const served = await fetch(`${world.app.url}/openapi.json`);
    expect(`${JSON.stringify(await served.json(), null, 2)}\n` === readDocument('openapi.json')).toBe(true);
    for (const address of [`${world.app.url}/docs`, `${world.app.url}/docs/`]) {
      const page = await fetch(address);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
      const html = await page.text();
      expect(html).toContain('API reference');
      const assets = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css|png))"/g)].map(([, file]) => file ?? '');
      expect(assets.length).toBeGreaterThan(3);
      for (const asset of assets) {
        const { status } = await fetch(new URL(asset, address));
        expect([address, asset, status]).toEqual([address, asset, 200]);
      }
      // The service's Content-Security-Policy forbids inline scripts.
      expect(html).not.toMatch(/<script(?![^>]*src=)/);
    }
    await world.stop();
  });
});

describe('Error codes', () => {
  const published = () => publishedErrors().map(({ code, kind }) => `${STATUS[kind]} ${code}`);
  /** Codes used only in frames, or by no route yet. */
  const WITHOUT_OPERATION = [
    '400 frame_malformed',
    '400 frame_too_many_values',
    '400 frame_unknown',
    '403 not_assigned',
    // of files, which are outside the API
    '403 url_expired',
  ];

  it('Every error code is in errors.md once, with its status and a sentence', () => {
    const rows = [...readDocument('errors.md').matchAll(/^\| `([a-z_]+)` \| (\d+) \| (\w+) \| (.+) \|$/gm)];
    expect(rows.map(([, code, status]) => `${status} ${code}`).sort()).toEqual(published().sort());
    for (const [row, , , , meaning] of rows) expect([row, (meaning ?? '').endsWith('.')]).toEqual([row, true]);
  });

  it('Every error code in the OpenAPI document is a published one, under its own status', () => {
    const known = new Set(published());
    for (const { name, operation } of operations()) {
      for (const [status, codes] of codesOf(operation)) {
        expect([name, codes.filter(code => !known.has(`${status} ${code}`))]).toEqual([name, []]);
      }
    }
  });

  it('Every published error code belongs to some operation or frame', () => {
    const met = new Set(
      operations().flatMap(({ operation }) =>
        codesOf(operation).flatMap(([status, codes]) => codes.map(code => `${status} ${code}`)),
      ),
    );
    expect(
      published()
        .filter(code => !met.has(code))
        .sort(),
    ).toEqual(WITHOUT_OPERATION.sort());
  });

  it('The contract check of every test response rejects error codes that the route does not document', () => {
    const contract = new Contract(new CompiledReference(api));
    const failure = (code: string) => ({
      ok: false,
      request_id: 'a'.repeat(24),
      timestamp: '2026-01-31T09:30:00.123456Z',
      error: { code, message: 'No.' },
    });
    expect(() => contract.assertAnswer('GET', '/v1/workspace', 403, failure('forbidden'))).not.toThrow();
    for (const code of ['made_up', 'short_code_taken', 'not_found']) {
      expect(() => contract.assertAnswer('GET', '/v1/workspace', 403, failure(code))).toThrow('/v1/workspace');
    }
    expect(() => contract.assertAnswer('GET', '/v1/workspace', 418, failure('forbidden'))).toThrow('does not list');
    const leak = { ...failure('x'), ok: true, data: { id: 'x', password_hash: 'x' } };
    expect(() => contract.assertAnswer('GET', '/v1/workspace', 200, leak)).toThrow('additionalProperties');
  });
});

describe('The document events.md', () => {
  it('Every frame is in events.md with its audience and schemas', () => {
    const rows = [...readDocument('events.md').matchAll(/^\| `([a-z_.]+)` \| (.+?) \| (.+?) \| .+ \|$/gm)];
    const cell = (name: string | null) => (name === null ? '–' : name === NO_DATA ? name : `\`${name}\``);
    expect(rows.map(([, type, agents, visitors]) => [type, agents, visitors])).toEqual(
      FRAMES.map(([type, { agent, visitor }]) => [type, cell(agent), cell(visitor)]),
    );
  });

  it('Every schema of a frame is in the OpenAPI document', () => {
    const missing = frameSchemas().filter(name => !(name in api.components.schemas));
    expect([...missing, ...('FrameError' in api.components.schemas ? [] : ['FrameError'])]).toEqual([]);
  });

  it('Every close code is in events.md with what a client should do', () => {
    const text = readDocument('events.md');
    for (const { code, then } of closeCodes()) expect(text).toMatch(new RegExp(`^\\| ${code} \\| ${then} \\|`, 'm'));
    expect(closeCodes().length).toBeGreaterThan(Object.values(CLOSE).length);
    for (const code of Object.values(CLOSE)) {
      expect(closeCodes()).toContainEqual(
        expect.objectContaining({ code, then: code < 4500 ? 'connect again' : 'stop' }),
      );
    }
  });
});

describe('The documents env.md and routes.md', () => {
  it('Every environment variable is in env.md, and every rate limit in routes.md', () => {
    const variables = [...readDocument('env.md').matchAll(/^\| `([A-Z0-9_]+)` \| (.*?) \| .+ \|$/gm)].map(
      ([, name]) => name,
    );
    expect(variables).toEqual(Object.keys(VARIABLES));
    const rates = [...readDocument('routes.md').matchAll(/^\| ([a-z_]+) \| (\d+) in (\d+) s \|/gm)];
    expect(rates.map(([, name, points, seconds]) => [name, Number(points), Number(seconds)])).toEqual(
      Object.entries(RATE_LIMITS).map(([name, { points, seconds }]) => [name, points, seconds]),
    );
  });
});
