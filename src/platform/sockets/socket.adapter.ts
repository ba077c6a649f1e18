import type { IncomingMessage } from 'node:http';
import type { Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { INestApplication, WsMessageHandler } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import type { RawData } from 'ws';
import { WebSocket, WebSocketServer } from 'ws';
import { Config } from '../../config/config.js';
import { MalformedRequest, NotFound, Unavailable } from '../../kernel/errors.js';
import { cameInsecurely, demandsHttps, HttpsRequired } from '../http/https-only.js';
import { Lifecycle } from '../health/lifecycle.js';
import { contextOf } from '../http/request-context.js';
import { toDomainError } from '../http/problem.js';
import { CLOSE, CLOSE_TEXT } from '../../kernel/close-codes.js';
import { SocketConnection } from './socket-connection.js';
import { SocketDispatcher } from './socket-dispatcher.js';
import { SocketDoor } from './socket-door.js';
import { SocketHub } from './socket-hub.js';
import { closeReasonFor, refuseUpgrade } from './upgrade-refusal.js';

export const FRAME_BYTES = 64 * 1024;

/**
 * Nest's adapter with a door in front: authentication and scope come before the upgrade, a refusal is an HTTP answer
 * with the envelope (the stock adapter destroys what it does not know), one client's frames are handled one after
 * another, and no frame is dropped in silence.
 */
export class SocketAdapter extends WsAdapter {
  private readonly log = new Logger('sockets');
  private readonly servers = new Map<string, WebSocketServer>();
  private readonly door: SocketDoor;
  private readonly hub: SocketHub;
  private readonly lifecycle: Lifecycle;
  private readonly server: HttpServer;
  private readonly insecure: (request: IncomingMessage) => boolean;
  private readonly onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    this.upgrade(request, socket, head).catch((error: unknown) => {
      this.log.error(error);
      socket.destroy();
    });
  };

  constructor(app: INestApplication) {
    super(app);
    this.door = app.get(SocketDoor);
    this.hub = app.get(SocketHub);
    this.lifecycle = app.get(Lifecycle);
    this.server = app.getHttpServer() as HttpServer;
    this.insecure = insecureUnder(app.get(Config), app);
    this.server.on('upgrade', this.onUpgrade);
  }

  /** Compression stays off: it costs 237 KiB a connection instead of 18. */
  override create(_port: number, options: { path?: string } = {}): WebSocketServer {
    const server = new WebSocketServer({ noServer: true, maxPayload: FRAME_BYTES, perMessageDeflate: false });
    server.on('wsClientError', (_error, socket, request) => {
      refuseUpgrade(socket, contextOf(request).requestId, new MalformedRequest(), false);
    });
    this.servers.set(options.path ?? '/', server);
    return server;
  }

  override bindMessageHandlers(client: WebSocket, handlers: WsMessageHandler<string>[]): void {
    const connection = connectionOf(client);
    const dispatcher = new SocketDispatcher(connection, handlers);
    client.on('message', (data: RawData, binary: boolean) =>
      dispatcher.take(binary ? null : (data as Buffer).toString('utf8')),
    );
  }

  override bindClientDisconnect(client: WebSocket, callback: (...args: unknown[]) => void): void {
    client.once('close', callback);
  }

  override close(server: WebSocketServer): Promise<void> {
    for (const client of server.clients) client.terminate();
    return new Promise(resolve => server.close(() => resolve()));
  }

  override dispose(): Promise<void> {
    this.server.off('upgrade', this.onUpgrade);
    return Promise.resolve();
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { requestId } = contextOf(request);
    const url = parseUrl(request.url);
    const server = url && this.servers.get(url.pathname);
    if (!server) return refuseUpgrade(socket, requestId, url ? new NotFound() : new MalformedRequest(), false);
    try {
      if (this.lifecycle.draining) throw new Unavailable();
      if (this.insecure(request)) throw new HttpsRequired();
      const askedAt = performance.now();
      const admission = await this.door.admit({ path: url.pathname, query: url.searchParams, request });
      if (this.lifecycle.draining) throw new Unavailable();
      if (socket.destroyed) return;
      server.handleUpgrade(request, socket, head, client => {
        this.open(server, client, request, new SocketConnection(client, admission, askedAt));
      });
    } catch (thrown) {
      const error = toDomainError(thrown);
      if (error.kind === 'internal') this.log.error(thrown);
      if (url.searchParams.get('reject') !== 'close' || socket.destroyed) {
        return refuseUpgrade(socket, requestId, error, Boolean(url.searchParams.get('token')));
      }
      const reason = closeReasonFor(error);
      server.handleUpgrade(request, socket, head, client => {
        // whoever was refused may still send; what is wrong with that must not throw
        client.on('error', () => undefined);
        client.close(CLOSE[reason], CLOSE_TEXT[reason]);
      });
    }
  }

  private open(
    server: WebSocketServer,
    client: WebSocket,
    request: IncomingMessage,
    connection: SocketConnection,
  ): void {
    connections.set(client, connection);
    client.on('error', () => undefined);
    // these count as frames: each ping is answered, and a flood of them by one that does not read would fill the memory
    for (const sign of ['ping', 'pong'] as const) client.on(sign, () => void connection.hear());
    client.once('close', () => this.hub.remove(connection));
    if (connection.admission.after !== null) connection.hold();
    this.hub.add(connection);
    server.emit('connection', client, request);
    this.door.welcome(connection).catch((error: unknown) => {
      this.log.error(error);
      connection.close('tryLater');
    });
  }
}

/** The rule that requests are under, with the same proxies trusted. */
function insecureUnder(config: Config, app: INestApplication): (request: IncomingMessage) => boolean {
  const express = app.getHttpAdapter().getInstance() as { get(name: string): Parameters<typeof cameInsecurely>[1] };
  return request => demandsHttps(config) && cameInsecurely(request, express.get('trust proxy fn'));
}

const connections = new WeakMap<WebSocket, SocketConnection>();

/** The connection of a socket that the adapter has let in. */
export function connectionOf(client: WebSocket): SocketConnection {
  const connection = connections.get(client);
  if (!connection) throw new Error('a socket that did not come through the door');
  return connection;
}

function parseUrl(target: string | undefined): URL | null {
  const url = `http://localhost${target ?? ''}`;
  return target?.startsWith('/') && URL.canParse(url) ? new URL(url) : null;
}
