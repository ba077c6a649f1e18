import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Config } from '../../config/config.js';
import { Unavailable } from '../../kernel/errors.js';
import { problem, problemHeaders } from '../http/problem.js';
import { newRequestId } from '../request/request-context.js';
import { SERVER_TIMEOUTS } from '../http/server-timeouts.js';
import { aliveBody } from './alive-body.js';
import type { Readiness } from './readiness.service.js';

/**
 * HTTP server for the time before the application listens, while the service waits for the database or runs migrations.
 * It is alive but not ready, so that no orchestrator kills the process. It serves one request per connection, so that
 * the next request reaches the application.
 */
export class EarlyAnswers {
  databaseAnswers = false;
  private app: Server | undefined;

  private constructor(
    readonly server: Server,
    private readonly config: Config,
  ) {}

  /** @throws Error (EADDRINUSE) when the port is taken */
  static async listen(config: Config): Promise<EarlyAnswers> {
    const { port, host } = config;
    const server = createServer(SERVER_TIMEOUTS);
    const early = new EarlyAnswers(server, config);
    server.on('request', (request, response) => early.answer(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host || undefined, resolve);
    });
    return early;
  }

  /**
   * Forwards requests to the application. Call it when `app` listens on the same socket, so that no connection is
   * refused; connections accepted before are then served by the application.
   */
  handOver(app: Server): void {
    this.app = app;
    this.server.on('upgrade', (...upgrade) => app.emit('upgrade', ...upgrade));
  }

  /** Closes all connections. The listening socket stays open once it was handed over to the application. */
  close(): void {
    if (!this.app) this.server.close();
    this.server.closeAllConnections();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('Connection', 'close');
    if (this.app) return void this.app.emit('request', request, response);
    request.resume();
    const path = request.url?.split('?', 1)[0];
    if (path === '/healthz') return send(response, 200, aliveBody(this.config));
    if (path === '/readyz') return send(response, 503, { status: 'unavailable', ...this.readiness() });
    const requestId = newRequestId();
    const error = new Unavailable();
    response.setHeader('X-Request-Id', requestId);
    for (const [name, value] of Object.entries(problemHeaders(error, false))) response.setHeader(name, value);
    send(response, 503, problem(requestId, error));
  }

  private readiness(): Readiness {
    const database = this.databaseAnswers ? 'ok' : 'down';
    const bus = this.config.redisUrl === null ? 'none' : 'down';
    return { database, migrations: 'pending', bus, event_log: 'ok', draining: false };
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
