import type { App } from '../../src/app.js';
import type { ApiDocument } from '../../src/platform/openapi/document.js';
import { CompiledReference } from './compiled-reference.js';

type Audience = 'agent' | 'visitor';
type Page = { data: { items: Record<string, unknown>[]; cursor: string } };

/** Close codes of a socket that the client closed or that lost its connection. */
const BY_CLIENT = [1000, 1001, 1005, 1006];

/** Validates every response and frame of every test against the OpenAPI and AsyncAPI documents. */
export class Contract {
  /**
   * Violations found on sockets. `World.stop` throws the first one, so that it fails even a test that awaited nothing.
   */
  readonly faults: Error[] = [];

  constructor(private readonly reference: CompiledReference) {}

  static of(app: App): Contract {
    return new Contract(CompiledReference.of(app));
  }

  get document(): ApiDocument {
    return this.reference.document;
  }

  /** @throws Error that shows how a response differs from the API reference */
  assertAnswer(method: string, path: string, status: number, body: unknown): void {
    const route = this.reference.routes.find(
      candidate => candidate.method === method.toLowerCase() && candidate.pattern.test(path),
    );
    if (!route) return this.assertFailure(method, path, status, body);
    const response = this.document.paths[route.path]?.[route.method]?.responses[String(status)];
    if (!response)
      throw new Error(`${method} ${path} answered ${status}, which the API reference does not list: ${show(body)}`);
    const reference = (response as { $ref?: string }).$ref;
    const pointer = reference
      ? reference.slice(1)
      : `/paths/${escaped(route.path)}/${route.method}/responses/${status}`;
    this.assertShape(`${method} ${path} ${status}`, `${pointer}/content/application~1json/schema`, body);
    if (route.path === '/v1/events' && status === 200) this.assertEvents(body as Page);
  }

  /** Events read from the log equal agents' frames, except for the cursor. */
  private assertEvents({ data: { items, cursor } }: Page): void {
    for (const item of items) this.assertFrame('agent', { ...item, cursor });
  }

  /** @throws Error that shows how a frame differs from the socket reference */
  assertFrame(audience: Audience, frame: Record<string, unknown>): void {
    const type = String(frame.type);
    if (!Object.hasOwn(this.framesFor(audience), type))
      throw new Error(`${audience}s must never receive ${type}: ${show(frame)}`);
    if (type.startsWith('said.'))
      throw new Error(`the service sent a frame type that only clients send: ${show(frame)}`);
    const pointer = `/channels/${audience}/messages/${type}/payload`;
    this.assertShape(`frame ${type} to ${audience}s`, pointer, frame, 'sockets');
  }

  /** @throws Error if the reference does not list this refusal of a handshake */
  assertRefusal(audience: Audience, status: number, body: unknown): void {
    this.assertShape(`refusal of ${audience}s`, '/components/schemas/Failure', body, 'sockets');
    const { code } = (body as { error: { code: string } }).error;
    const known = this.reference.sockets.channels[audience]?.['x-refusals'] as {
      codes: { status: number; code: string }[];
    };
    if (known.codes.some(refusal => refusal.status === status && refusal.code === code)) return;
    throw new Error(`the reference lists no refusal of ${audience} sockets with ${status} ${code}`);
  }

  /** @throws Error if the reference does not list this close code */
  assertClose(code: number): void {
    const known = this.reference.sockets['x-close-codes'] as { code: number }[];
    if (BY_CLIENT.includes(code) || known.some(close => close.code === code)) return;
    throw new Error(`the reference lists no close code ${code}`);
  }

  private framesFor(audience: Audience): Record<string, unknown> {
    return this.reference.sockets.channels[audience]?.messages ?? {};
  }

  /** A path without a route still fails in the error envelope. */
  private assertFailure(method: string, path: string, status: number, body: unknown): void {
    if (!path.startsWith('/v1/')) return;
    if (status < 400) throw new Error(`${method} ${path} answered ${status} but is not in the API reference`);
    this.assertShape(`${method} ${path} ${status}`, '/components/schemas/Failure', body);
  }

  private assertShape(subject: string, pointer: string, value: unknown, document: 'api' | 'sockets' = 'api'): void {
    const differences = this.reference.differences(document, pointer, value);
    if (differences) throw new Error(`${subject} differs from the reference: ${show(differences)} in ${show(value)}`);
  }
}

function escaped(path: string): string {
  return path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 2000) ?? 'nothing';
}
