import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Application, Response } from 'express';
import type { ExpressPrototypes } from './express-classes.js';
import { expressClasses } from './express-classes.js';
import { matchFirst } from './frequent-routes.js';
import { answerJson } from './json-answer.js';
import { contextOf, envelope } from '../request/request-context.js';
import { SERVER_TIMEOUTS } from './server-timeouts.js';
import { StreamedObject, streamed } from './streamed-object.js';

/** Nest's express adapter with its own server. Closing it closes all connections, including upgraded ones. */
export class HttpAdapter extends ExpressAdapter {
  private readonly connections = new Set<Socket>();
  private inFlight = 0;
  /** A server that already listens on the port. If set, its socket is taken over. */
  port: Server | undefined;

  /** @param frequentPaths paths of routes that are matched before all others */
  constructor(private readonly frequentPaths: readonly string[]) {
    super();
  }

  /** Requests without a finished response or a lost connection. WebSockets are not counted. */
  get requestsInFlight(): number {
    return this.inFlight;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Application & ExpressPrototypes>();
    const server: Server = createServer({ ...expressClasses(app), ...SERVER_TIMEOUTS }, app);
    const answered = () => (this.inFlight -= 1);
    // Node drops requests pipelined behind an ignored upgrade: closing tells the client to send them again
    server.prependListener('request', (request, response) => {
      this.inFlight += 1;
      response.once('close', answered);
      if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    });
    server.on('connection', socket => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
    this.setHttpServer(server);
  }

  /** Sends a handler's result in the standard envelope. */
  override reply(response: Response, data: unknown, status?: number): unknown {
    if (status !== undefined || data instanceof StreamableFile) return super.reply(response, data, status);
    const { requestId } = contextOf(response.req);
    if (data instanceof StreamedObject) return super.reply(response, streamed(requestId, data));
    return answerJson(response, envelope(requestId, data));
  }

  override listen(port: number | string, ...rest: unknown[]): Server {
    matchFirst(this.getInstance<Application>(), this.frequentPaths);
    const server = this.getHttpServer() as Server;
    const callback = rest.at(-1) as () => void;
    return this.port ? server.listen(this.port, callback) : (super.listen(port, ...(rest as [])) as Server);
  }

  override close(): Promise<void> {
    for (const connection of this.connections) connection.destroy();
    return super.close() as Promise<void>;
  }
}
