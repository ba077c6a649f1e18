import { createServer, IncomingMessage } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';

const upgrading = new WeakSet<IncomingMessage>();

/**
 * Node takes every request with an `Upgrade` away from the handlers once anybody listens to upgrades, whatever it wants
 * to be upgraded to. Only a WebSocket is one here; others, as `Upgrade: h2c` of an eager client, are answered like any
 * request, as HTTP allows (RFC 9110, 7.8). Node 24 has `shouldUpgradeCallback` for this, Node 20 has not.
 */
class PlainUnlessWebSocket extends IncomingMessage {
  set upgrade(asked: boolean | null) {
    if (asked) upgrading.add(this);
    else upgrading.delete(this);
  }

  get upgrade(): boolean {
    return upgrading.has(this) && this.headers.upgrade?.toLowerCase() === 'websocket';
  }
}

/** Nest's adapter with a server of ours, whose connections all end with it, also those that have left HTTP. */
export class HttpAdapter extends ExpressAdapter {
  private readonly connections = new Set<Socket>();
  /** Who listens on the port already and hands it over; then it is this socket that is listened on. */
  port: Server | undefined;

  override initHttpServer(): void {
    const server: Server = createServer({ IncomingMessage: PlainUnlessWebSocket }, this.getInstance());
    // what was pipelined behind an upgrade that is ignored is lost to the parser: its client must know to send it again
    server.prependListener('request', (request, response) => {
      if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    });
    server.on('connection', socket => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
    this.setHttpServer(server);
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
