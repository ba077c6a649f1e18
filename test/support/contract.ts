import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { App } from '../../src/app.js';
import { apiDocument } from '../../src/api-document.js';
import { normaliseEmail } from '../../src/kernel/email.js';
import { EVENT_FRAMES, PASSING_FRAMES } from '../../src/modules/realtime/index.js';
import type { FrameDefinition } from '../../src/modules/realtime/index.js';
import type { ApiDocument } from '../../src/platform/openapi/document.js';

/** Checks what the service says against what its documents promise: every answer and every frame of every test. */
export class Contract {
  private readonly ajv: Ajv2020;
  private readonly routes: { method: string; pattern: RegExp; path: string }[];
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(readonly document: ApiDocument) {
    this.ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.ajv);
    // which ajv-formats leaves out; an address that is answered is one that was normalised
    this.ajv.addFormat('idn-email', text => normaliseEmail(text) === text);
    this.ajv.addSchema(closed(document) as object, 'api');
    this.routes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => ({ method, path, pattern: patternOf(path) })),
    );
    this.routes.sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  }

  /** Of the one document of the code, whatever an app is configured to do; made once in a spec file. */
  static of(app: App): Contract {
    return (Contract.ours ??= new Contract(apiDocument(app)));
  }

  private static ours: Contract | undefined;

  /** @throws Error that says how an answer differs from the API reference */
  assertAnswer(method: string, path: string, status: number, body: unknown): void {
    const route = this.routes.find(
      candidate => candidate.method === method.toLowerCase() && candidate.pattern.test(path),
    );
    if (!route) return this.assertFailure(method, path, status, body);
    const response = this.document.paths[route.path]?.[route.method]?.responses[String(status)];
    if (!response)
      throw new Error(`${method} ${path} answered ${status}, which the API reference does not know: ${show(body)}`);
    const reference = (response as { $ref?: string }).$ref;
    const pointer = reference
      ? reference.slice(1)
      : `/paths/${escaped(route.path)}/${route.method}/responses/${status}`;
    this.assertShape(`${method} ${path} ${status}`, `${pointer}/content/application~1json/schema`, body);
  }

  /** @throws Error that says how a frame differs from the registry */
  assertFrame(audience: 'agent' | 'visitor', frame: Record<string, unknown>): void {
    const type = String(frame.type);
    if (type === 'error') return this.assertShape('error frame', '/components/schemas/FrameError', frame.error);
    const durable = (EVENT_FRAMES as Record<string, FrameDefinition>)[type];
    const known = durable ?? (PASSING_FRAMES as Record<string, FrameDefinition>)[type];
    if (!known) throw new Error(`a frame that the registry does not know: ${show(frame)}`);
    const shape = known[audience];
    if (durable && shape === null) throw new Error(`${audience}s never get ${type}: ${show(frame)}`);
    if (durable && !(typeof frame.id === 'string' && typeof frame.cursor === 'string')) {
      throw new Error(`a durable frame without id or cursor: ${show(frame)}`);
    }
    if (!durable && ('id' in frame || 'cursor' in frame)) throw new Error(`a passing frame with an id: ${show(frame)}`);
    if (shape !== null) this.assertShape(`frame ${type}`, `/components/schemas/${shape}`, frame.data);
  }

  /** What no route answers is a failure in the envelope all the same. */
  private assertFailure(method: string, path: string, status: number, body: unknown): void {
    if (!path.startsWith('/v1/')) return;
    if (status < 400) throw new Error(`${method} ${path} answered ${status} and is not in the API reference`);
    this.assertShape(`${method} ${path} ${status}`, '/components/schemas/Failure', body);
  }

  private assertShape(what: string, pointer: string, value: unknown): void {
    const validate = this.compiled.get(pointer) ?? this.ajv.compile({ $ref: `api#${pointer}` });
    this.compiled.set(pointer, validate);
    if (!validate(value)) throw new Error(`${what} differs: ${show(validate.errors)} in ${show(value)}`);
  }
}

/** Views are whitelists: in a test, a field that the reference does not name is a leak. */
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

function escaped(path: string): string {
  return path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 2000) ?? 'nothing';
}
