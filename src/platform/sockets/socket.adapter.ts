import type { IncomingMessage } from 'node:http';
import type { Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { INestApplication, WsMessageHandler } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import type { RawData, ServerOptions } from 'ws';
import { WebSocket, WebSocketServer } from 'ws';
import { Config } from '../../config/config.js';
import { HttpsRequired, MalformedRequest, NotFound, Unavailable } from '../../kernel/errors.js';
import { networkOf } from '../../kernel/client-origin.js';

import { clientAddresses } from '../http/client-address.js';
import { cameInsecurely, demandsHttps } from '../http/https-only.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { contextOf } from '../request/request-context.js';
import { toDomainError } from '../http/problem.js';
import { CLOSE, CLOSE_TEXT } from '../../kernel/close-codes.js';
import { AddressLimit } from './address-limit.js';
import { FrameLimitsPolicy } from './frame-limits.policy.js';
import { HandshakeQueue } from './handshake-queue.js';
import { CLOSING_MS, SocketConnection } from './socket-connection.js';
import { SocketDispatcher } from './socket-dispatcher.js';
import type { Handshake } from './connection-authorizer.js';
import { ConnectionAuthorizer } from './connection-authorizer.js';
import { SocketHub } from './socket-hub.js';
import { SocketMetricsService } from './socket-metrics.service.js';
import { closeReasonFor, refuseUpgrade } from './upgrade-refusal.js';

const FRAME_BYTES = 64 * 1024;

/**
 * Bounds incoming messages by bytes and by fragments. Each fragment costs more memory than its bytes: a 64 KiB frame in
 * one-byte fragments would take 16 MiB. Exceeding the fragment limit closes the socket with 1008.
 */
const LIMITS = { maxPayload: FRAME_BYTES, maxFragments: 1_024, maxBufferedChunks: 1_024, closeTimeout: CLOSING_MS };

/**
 * Compression settings. Compression is off by default: it costs CPU time per recipient, and memory for as long as the
 * socket is open. A window of 4 KiB instead of 32 KiB keeps the memory small and fits most frames.
 *
 * No context is kept between frames, so that the size of one frame does not reveal the content of another.
 */
const COMPRESSION = {
  threshold: 1_024,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  serverMaxWindowBits: 12,
  zlibDeflateOptions: { level: 3, memLevel: 5 },
};

/**
 * Nest's `ws` adapter with authorization before the upgrade. A refusal is an HTTP response in the standard envelope,
 * while the stock adapter destroys connections to unknown paths.
 *
 * The frames of one client are handled in order, and every frame that cannot be handled gets an error frame.
 */
export class SocketAdapter extends WsAdapter {
  private readonly log = new Logger('sockets');
  private readonly servers = new Map<string, WebSocketServer>();
  private readonly authorizer: ConnectionAuthorizer;
  private readonly hub: SocketHub;
  private readonly queue: HandshakeQueue;
  private readonly limits: FrameLimitsPolicy;
  private readonly lifecycle: LifecycleService;
  private readonly compression: boolean;
  private readonly server: HttpServer;
  private readonly isInsecure: (request: IncomingMessage) => boolean;
  private readonly addressOf: (request: IncomingMessage) => string;
  private readonly addresses: AddressLimit;
  private readonly onClose: (this: WebSocket, code: number) => void;
  private readonly onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', destroy);
    this.upgrade(request, socket, head).catch((error: unknown) => {
      this.log.error(error);
      socket.destroy();
    });
  };

  constructor(app: INestApplication) {
    super(app);
    this.authorizer = app.get(ConnectionAuthorizer);
    this.hub = app.get(SocketHub);
    this.queue = app.get(HandshakeQueue);
    this.limits = app.get(FrameLimitsPolicy);
    this.lifecycle = app.get(LifecycleService);
    const config = app.get(Config);
    this.compression = config.socketCompression;
    this.server = app.getHttpServer() as HttpServer;
    this.isInsecure = insecureRequestCheck(config, app);
    this.addressOf = clientAddresses(app);
    this.addresses = new AddressLimit(config.socketsPerAddress);
    const { hub } = this;
    const metrics = app.get(SocketMetricsService);
    this.onClose = function (code) {
      hub.remove(connectionOf(this));
      metrics.countClosed(code);
    };
    this.server.on('upgrade', this.onUpgrade);
  }

  override create(_port: number, options: { path?: string } = {}): WebSocketServer {
    const perMessageDeflate = this.compression ? COMPRESSION : false;
    const server = new WebSocketServer({ noServer: true, ...LIMITS, perMessageDeflate } as ServerOptions);
    server.on('wsClientError', (_error, socket, request) => {
      refuseUpgrade(socket, contextOf(request).requestId, new MalformedRequest(), false);
    });
    this.servers.set(options.path ?? '/', server);
    return server;
  }

  override bindMessageHandlers(client: WebSocket, handlers: WsMessageHandler<string>[]): void {
    dispatchers.set(client, new SocketDispatcher(connectionOf(client), handlers));
    client.on('message', onMessage);
  }

  override bindClientDisconnect(client: WebSocket, callback: (...args: unknown[]) => void): void {
    client.on('close', callback);
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
    if (!speaksHttp11(request)) return refuseUpgrade(socket, requestId, new MalformedRequest(), false);
    try {
      if (this.lifecycle.draining) throw new Unavailable();
      if (this.isInsecure(request)) throw new HttpsRequired();
      const network = networkOf(this.addressOf(request));
      this.addresses.admit(network, socket);
      const handshake = { path: url.pathname, query: url.searchParams, request, network };
      await this.queue.run(() => this.admit(server, handshake, socket, head));
    } catch (thrown) {
      const error = toDomainError(thrown);
      if (error.kind === 'internal') this.log.error(thrown);
      if (url.searchParams.get('reject') !== 'close' || socket.destroyed) {
        return refuseUpgrade(socket, requestId, error, Boolean(url.searchParams.get('token')));
      }
      const reason = closeReasonFor(error);
      server.handleUpgrade(request, socket, head, client => {
        // a refused client may still send; errors of its frames must not throw
        client.on('error', ignore);
        client.close(CLOSE[reason], CLOSE_TEXT[reason]);
      });
    }
  }

  /** Resolves when the first missed frames have been sent, which also queries the database. */
  private async admit(server: WebSocketServer, handshake: Handshake, socket: Duplex, head: Buffer): Promise<void> {
    const startedAt = performance.now();
    if (socket.destroyed) return;
    const admission = await this.authorizer.admit(handshake);
    if (this.lifecycle.draining) throw new Unavailable();
    if (socket.destroyed) return;
    const { limits } = this;
    let opened: Promise<void> | undefined;
    // The answer to the upgrade and the first frames, which are written at the end of this turn, go out in one write.
    socket.cork();
    server.handleUpgrade(handshake.request, socket, head, client => {
      opened = this.open(
        server,
        client,
        handshake.request,
        new SocketConnection(client, socket, admission, startedAt, limits),
      );
    });
    setImmediate(() => socket.uncork());
    await opened;
  }

  private open(
    server: WebSocketServer,
    client: WebSocket,
    request: IncomingMessage,
    connection: SocketConnection,
  ): Promise<void> {
    connections.set(client, connection);
    client.on('error', ignore);
    client.on('ping', onPingOrPong);
    client.on('pong', onPingOrPong);
    client.on('close', this.onClose);
    if (connection.admission.after !== null) connection.pauseLive();
    this.hub.add(connection);
    server.emit('connection', client, request);
    return this.authorizer.onOpen(connection).catch((error: unknown) => {
      this.log.error(error);
      connection.close('tryLater');
    });
  }
}

/** Applies the HTTPS rule of HTTP requests to upgrades, with the same trusted proxies. */
function insecureRequestCheck(config: Config, app: INestApplication): (request: IncomingMessage) => boolean {
  const express = app.getHttpAdapter().getInstance() as { get(name: string): Parameters<typeof cameInsecurely>[1] };
  return request => demandsHttps(config) && cameInsecurely(request, express.get('trust proxy fn'));
}

const connections = new WeakMap<WebSocket, SocketConnection>();
const dispatchers = new WeakMap<WebSocket, SocketDispatcher>();

/** @throws Error for a socket that this adapter did not open */
export function connectionOf(client: WebSocket): SocketConnection {
  const connection = connections.get(client);
  if (!connection) throw new Error('The socket was not opened by this adapter');
  return connection;
}

/** Checks RFC 6455, 4.2.1, which neither Node nor `ws` checks. */
function speaksHttp11({ httpVersion, headersDistinct }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headersDistinct.host?.length === 1;
}

// Event handlers are shared by all sockets: closures for each would take a tenth of an idle socket's memory.

function destroy(this: Duplex): void {
  this.destroy();
}

function ignore(): void {
  return;
}

/**
 * Counts pings and pongs as frames. Each ping is answered, so a flood from a client that does not read would pile up.
 */
function onPingOrPong(this: WebSocket): void {
  connectionOf(this).countFrame(0);
}

function onMessage(this: WebSocket, data: RawData, binary: boolean): void {
  dispatchers.get(this)?.receive(data as Buffer, binary);
}

function parseUrl(target: string | undefined): URL | null {
  const url = `http://localhost${target ?? ''}`;
  return target?.startsWith('/') && URL.canParse(url) ? new URL(url) : null;
}
