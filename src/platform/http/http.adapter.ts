import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Application, Response } from 'express';
import type { ExpressPrototypes } from './express-classes.js';
import { expressClasses } from './express-classes.js';
import { answerJson } from './json-answer.js';
import { contextOf, envelope } from './request-context.js';
import { SERVER_TIMEOUTS } from './server-timeouts.js';
import { StreamedObject, streamed } from './streamed-object.js';

/** Nest's adapter with a server of ours, whose connections all end with it, also those that have left HTTP. */
export class HttpAdapter extends ExpressAdapter {
  private readonly connections = new Set<Socket>();
  private inFlight = 0;
  /** Who listens on the port already and hands it over; then it is this socket that is listened on. */
  port: Server | undefined;

  /** Requests whose answer has not been written, or their connection lost. Sockets are not counted. */
  get requestsInFlight(): number {
    return this.inFlight;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Application & ExpressPrototypes>();
    const server: Server = createServer({ ...expressClasses(app), ...SERVER_TIMEOUTS }, app);
    const answered = () => (this.inFlight -= 1);
    // what was pipelined behind an upgrade that is ignored is lost to the parser: its client must know to send it again
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

  /** What a handler returns goes out in the standard envelope. */
  override reply(response: Response, data: unknown, status?: number): unknown {
    if (status !== undefined || data instanceof StreamableFile) return super.reply(response, data, status);
    const { requestId } = contextOf(response.req);
    if (data instanceof StreamedObject) return super.reply(response, streamed(requestId, data));
    return answerJson(response, envelope(requestId, data));
  }

  override listen(port: number | string, ...rest: unknown[]): Server {
    const server = this.getHttpServer() as Server;
    const callback = rest.at(-1) as () => void;
    return this.port ? server.listen(this.port, callback) : (super.listen(port, ...(rest as [])) as Server);
  }

  override close(): Promise<void> {
    for (const connection of this.connections) connection.destroy();
    return super.close() as Promise<void>;
  }
}
