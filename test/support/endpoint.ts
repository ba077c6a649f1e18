import { createServer as createHttpServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { eventually } from './eventually.js';
import { CERTIFICATE, CERTIFICATE_KEY } from './self-signed.js';

/** A server of a webhook or bot on 127.0.0.1, which knows its connections. */
export class Endpoint {
  /** Connections that it has ever accepted. */
  accepted = 0;
  private readonly open = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {
    server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.open.add(socket);
      socket.on('error', () => undefined).on('close', () => this.open.delete(socket));
    });
  }

  static http(listener: RequestListener): Promise<Endpoint> {
    return new Endpoint(createHttpServer(listener), 'http').listen();
  }

  static https(listener: RequestListener): Promise<Endpoint> {
    const server = createHttpsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, listener);
    return new Endpoint(
      server.on('tlsClientError', () => undefined),
      'https',
    ).listen();
  }

  /** Answers with bytes of its own when a request's head and body have arrived. */
  static raw(answer: (socket: Socket) => void): Promise<Endpoint> {
    const server = createTcpServer(socket => {
      let received = '';
      socket.on('data', chunk => {
        received += chunk.toString();
        if (!/\r\n\r\n.*\{.*\}$/s.test(received)) return;
        received = '';
        answer(socket);
      });
    });
    return new Endpoint(server, 'http').listen();
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get openCount(): number {
    return this.open.size;
  }

  url(host = '127.0.0.1', path = '/hook'): string {
    return `${this.scheme}://${host}:${this.port}${path}`;
  }

  /** Waits until it has exactly this many connections. */
  async connections(count: number): Promise<void> {
    await eventually(
      () => (this.open.size === count ? true : undefined),
      5_000,
      () => this.open.size,
    );
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise(resolve => this.server.close(resolve));
  }

  private async listen(): Promise<this> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }
}
