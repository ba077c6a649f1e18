import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { WebSocketServer, type WebSocket } from 'ws';

export interface RecordedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage['headers'];
  token: string | undefined;
  body: Record<string, unknown>;
}

/** An answer as it goes over the wire; `hang` never answers, `cut` breaks the connection. */
export type Reply = { status: number; body: string; headers?: Record<string, string> } | 'hang' | 'cut';

export function ok(data: unknown, status = 200): Reply {
  return { status, body: JSON.stringify({ ok: true, request_id: 'fake-request', timestamp: '', data }) };
}

export function refuse(status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Reply {
  const error = { code, message: `refused: ${code}`, ...more };
  return { status, body: JSON.stringify({ ok: false, request_id: 'fake-request', timestamp: '', error }), headers };
}

/** A fake service with real HTTP and real sockets, whose answers the test sets. */
export class FakeService {
  readonly requests: RecordedRequest[] = [];
  readonly handshakes: URLSearchParams[] = [];
  /** The HTTP answer to an upgrade; undefined accepts it. */
  upgradeReply: (query: URLSearchParams) => Reply | undefined = () => undefined;
  /** The frames that each accepted socket gets first. */
  firstFrames: readonly object[] = [{ type: 'connected', data: { cursor: 'c0' } }];
  /** Answers requests to routes that the test has not set. */
  fallback: (request: RecordedRequest) => Reply = () => refuse(404, 'not_found');
  /** Called with each accepted socket and the address of its upgrade. */
  onSocket: (socket: WebSocket, address: URL) => void = () => undefined;
  private readonly routes = new Map<string, (request: RecordedRequest) => Reply>();
  private readonly unclaimedSockets: WebSocket[] = [];
  private readonly socketWaiters: ((socket: WebSocket) => void)[] = [];
  private readonly unanswered: Duplex[] = [];
  private readonly sockets = new WebSocketServer({ noServer: true });
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.on('upgrade', (request, socket, head) => {
      const address = new URL(request.url!, 'http://fake');
      this.handshakes.push(address.searchParams);
      const refusal = this.upgradeReply(address.searchParams);
      if (refusal === undefined)
        return this.sockets.handleUpgrade(request, socket, head, it => this.acceptSocket(it, address));
      if (refusal === 'cut') return socket.destroy();
      if (refusal === 'hang') return this.unanswered.push(socket);
      const headers = Object.entries({ ...refusal.headers, connection: 'close' }).map(pair => pair.join(': '));
      socket.end([`HTTP/1.1 ${refusal.status} Refused`, ...headers, '', refusal.body].join('\r\n'));
    });
  }

  static async start(): Promise<FakeService> {
    const service = new FakeService();
    service.server.listen(0, '127.0.0.1');
    await once(service.server, 'listening');
    return service;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sets the answer of a route. @param route such as `POST /v1/auth/login` */
  on(route: string, reply: (request: RecordedRequest) => Reply): void {
    this.routes.set(route, reply);
  }

  requestsTo(route: string): RecordedRequest[] {
    return this.requests.filter(({ method, path }) => `${method} ${path}` === route);
  }

  /** The first accepted socket that was not returned yet, or else the next one. */
  nextSocket(): Promise<WebSocket> {
    const here = this.unclaimedSockets.shift();
    return here ? Promise.resolve(here) : new Promise(resolve => this.socketWaiters.push(resolve));
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    for (const socket of this.unanswered) socket.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private acceptSocket(socket: WebSocket, address: URL): void {
    for (const frame of this.firstFrames) socket.send(JSON.stringify(frame));
    this.onSocket(socket, address);
    const next = this.socketWaiters.shift();
    if (next) next(socket);
    else this.unclaimedSockets.push(socket);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://fake');
    const body = await text(request);
    const recorded: RecordedRequest = {
      method: request.method!,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      token: request.headers.authorization?.replace('Bearer ', ''),
      body: isJson(request) && body !== '' ? (JSON.parse(body) as Record<string, unknown>) : {},
    };
    this.requests.push(recorded);
    const reply = this.routes.get(`${recorded.method} ${recorded.path}`)?.(recorded) ?? this.fallback(recorded);
    if (reply === 'hang') return;
    if (reply === 'cut') return void request.socket.destroy();
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body);
  }
}

function isJson({ headers }: IncomingMessage): boolean {
  return !headers['content-type']?.startsWith('multipart/');
}
