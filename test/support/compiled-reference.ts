import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { App } from '../../src/app.js';
import { apiDocument } from '../../src/api-document.js';
import { asyncDocument } from '../../src/asyncapi-document.js';
import { normaliseEmail } from '../../src/kernel/email.js';
import type { AsyncDocument } from '../../src/platform/asyncapi/document.js';
import type { ApiDocument } from '../../src/platform/openapi/document.js';

/** The OpenAPI and AsyncAPI documents with a validator for each shape, compiled on its first use. */
export class CompiledReference {
  readonly sockets: AsyncDocument;
  readonly routes: readonly { method: string; pattern: RegExp; path: string }[];
  private readonly ajv: Ajv2020;
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(readonly document: ApiDocument) {
    this.sockets = asyncDocument(document);
    this.ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.ajv);
    // ajv-formats lacks this format. The service returns only normalised addresses.
    this.ajv.addFormat('idn-email', text => normaliseEmail(text) === text);
    this.ajv.addSchema(closed(document) as object, 'api');
    this.ajv.addSchema(closed(this.sockets) as object, 'sockets');
    this.routes = Object.entries(document.paths)
      .flatMap(([path, operations]) =>
        Object.keys(operations).map(method => ({ method, path, pattern: patternOf(path) })),
      )
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  }

  /** The reference of the current code. It does not depend on configuration and is made once per worker. */
  static of(app: App): CompiledReference {
    return (CompiledReference.ours ??= new CompiledReference(apiDocument(app)));
  }

  private static ours: CompiledReference | undefined;

  /** Returns how the value differs from the shape, or null. */
  differences(document: 'api' | 'sockets', pointer: string, value: unknown): ErrorObject[] | null {
    const reference = `${document}#${pointer}`;
    const validate = this.compiled.get(reference) ?? this.ajv.compile({ $ref: reference });
    this.compiled.set(reference, validate);
    return validate(value) ? null : (validate.errors ?? []);
  }
}

/** Forbids additional properties: views are whitelists, so a field that the reference does not name is a leak. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const object = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  const names = object.properties as Record<string, unknown> | undefined;
  const isView = object.type === 'object' && names && !('ok' in names) && !('code' in names) && !('error' in names);
  return isView && !('additionalProperties' in object) ? { ...object, additionalProperties: false } : object;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`);
}
