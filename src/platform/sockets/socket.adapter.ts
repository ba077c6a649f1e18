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
import { Lifecycle } from '../health/lifecycle.js';
import { contextOf } from '../http/request-context.js';
import { toDomainError } from '../http/problem.js';
import { CLOSE, CLOSE_TEXT } from '../../kernel/close-codes.js';
import { AddressLimit } from './address-limit.js';
import { FrameLimits } from './frame-limits.js';
import { HandshakeQueue } from './handshake-queue.js';
import { CLOSING_MS, SocketConnection } from './socket-connection.js';
import { SocketDispatcher } from './socket-dispatcher.js';
import type { Handshake } from './connection-authorizer.js';
import { ConnectionAuthorizer } from './connection-authorizer.js';
import { SocketHub } from './socket-hub.js';
import { closeReasonFor, refuseUpgrade } from './upgrade-refusal.js';

export const FRAME_BYTES = 64 * 1024;

/**
 * What comes is bounded by its bytes, and, for each piece costs more than its bytes, by its pieces: a frame of 64 KiB
 * sent in single bytes would take 16 MiB. Whoever does that is closed with 1008.
 */
const LIMITS = { maxPayload: FRAME_BYTES, maxFragments: 1_024, maxBufferedChunks: 1_024, closeTimeout: CLOSING_MS };

/**
 * Off unless the operator asks for it: it costs time for each socket that a frame goes to, and its memory stays with the
 * socket. A window of 4 KiB instead of 32 keeps that small, and frames have little more in them. Nothing is carried over
 * from frame to frame, so that what one says does not tell by its size what another has said.
 */
const COMPRESSION = {
  threshold: 1_024,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  serverMaxWindowBits: 12,
  zlibDeflateOptions: { level: 3, memLevel: 5 },
};

/**
 * Nest's adapter with a door in front: authentication and scope come before the upgrade, a refusal is an HTTP answer
 * with the envelope (the stock adapter destroys what it does not know), one client's frames are handled one after
 * another, and no frame is dropped in silence.
 */
export class SocketAdapter extends WsAdapter {
  private readonly log = new Logger('sockets');
  private readonly servers = new Map<string, WebSocketServer>();
  private readonly authorizer: ConnectionAuthorizer;
  private readonly hub: SocketHub;
  private readonly queue: HandshakeQueue;
  private readonly limits: FrameLimits;
  private readonly lifecycle: Lifecycle;
  private readonly compression: boolean;
  private readonly server: HttpServer;
  private readonly insecure: (request: IncomingMessage) => boolean;
  private readonly addressOf: (request: IncomingMessage) => string;
  private readonly addresses: AddressLimit;
  private readonly onClose: (this: WebSocket) => void;
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
    this.limits = app.get(FrameLimits);
    this.lifecycle = app.get(Lifecycle);
    const config = app.get(Config);
    this.compression = config.socketCompression;
    this.server = app.getHttpServer() as HttpServer;
    this.insecure = insecureUnder(config, app);
    this.addressOf = clientAddresses(app);
    this.addresses = new AddressLimit(config.socketsPerAddress);
    const { hub } = this;
    this.onClose = function () {
      hub.remove(connectionOf(this));
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
    client.on('message', take);
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
      if (this.insecure(request)) throw new HttpsRequired();
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
        // whoever was refused may still send; what is wrong with that must not throw
        client.on('error', ignore);
        client.close(CLOSE[reason], CLOSE_TEXT[reason]);
      });
    }
  }

  /** @returns when it has been told what it has missed, which asks the database too */
  private async admit(server: WebSocketServer, handshake: Handshake, socket: Duplex, head: Buffer): Promise<void> {
    const askedAt = performance.now();
    if (socket.destroyed) return;
    const admission = await this.authorizer.admit(handshake);
    if (this.lifecycle.draining) throw new Unavailable();
    if (socket.destroyed) return;
    const { limits } = this;
    let welcomed: Promise<void> | undefined;
    server.handleUpgrade(handshake.request, socket, head, client => {
      welcomed = this.open(
        server,
        client,
        handshake.request,
        new SocketConnection(client, socket, admission, askedAt, limits),
      );
    });
    await welcomed;
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

/** The rule that requests are under, with the same proxies trusted. */
function insecureUnder(config: Config, app: INestApplication): (request: IncomingMessage) => boolean {
  const express = app.getHttpAdapter().getInstance() as { get(name: string): Parameters<typeof cameInsecurely>[1] };
  return request => demandsHttps(config) && cameInsecurely(request, express.get('trust proxy fn'));
}

const connections = new WeakMap<WebSocket, SocketConnection>();
const dispatchers = new WeakMap<WebSocket, SocketDispatcher>();

/** The connection of a socket that the adapter has let in. */
export function connectionOf(client: WebSocket): SocketConnection {
  const connection = connections.get(client);
  if (!connection) throw new Error('a socket that did not come through the door');
  return connection;
}

/** RFC 6455, 4.2.1, which neither Node nor `ws` looks at for an upgrade. */
function speaksHttp11({ httpVersion, headersDistinct }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headersDistinct.host?.length === 1;
}

// What all sockets have in common they share: functions of its own would be a tenth of an idle socket's memory.

function destroy(this: Duplex): void {
  this.destroy();
}

function ignore(): void {
  return;
}

/** Pings and pongs count as frames: each ping is answered, and a flood of them by one that does not read would pile up. */
function onPingOrPong(this: WebSocket): void {
  connectionOf(this).countFrame(0);
}

function take(this: WebSocket, data: RawData, binary: boolean): void {
  dispatchers.get(this)?.take(data as Buffer, binary);
}

function parseUrl(target: string | undefined): URL | null {
  const url = `http://localhost${target ?? ''}`;
  return target?.startsWith('/') && URL.canParse(url) ? new URL(url) : null;
}
