import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/**
 * A TCP proxy between the service and a dependency. It can delay, refuse, cut or swallow traffic. Its port stays the
 * same.
 */
export class TcpProxy {
  /** Delay in each direction, in milliseconds. */
  latency = 0;
  private server: Server | null = null;
  private silent = false;
  private lostRequest: string | null = null;
  private losesAnswers = false;
  private readonly sockets = new Set<Socket>();
  private readonly forgotten = new WeakSet<Socket>();

  private constructor(
    private target: { host: string; port: number },
    private port: number,
  ) {}

  /** Starts in front of the server that the URL names. */
  static async start(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(addressOf(url), 0);
    await proxy.listen();
    return proxy;
  }

  /** Forwards to another server from now on, such as one restarted on a new port. */
  setTarget(url: string): void {
    this.target = addressOf(url);
  }

  /** The same URL through the proxy. */
  rewriteUrl(url: string): string {
    const proxied = new URL(url);
    proxied.hostname = '127.0.0.1';
    proxied.port = String(this.port);
    return proxied.href;
  }

  /** Resets open connections and refuses new ones, as if nothing listened. */
  async refuse(): Promise<void> {
    const server = this.server;
    this.server = null;
    const closed = new Promise(resolve => (server ? server.close(resolve) : resolve(undefined)));
    this.reset();
    await closed;
  }

  /** Accepts and keeps connections but forwards nothing, as if the network dropped every packet. */
  swallow(): void {
    this.silent = true;
  }

  /** Forwards the next request that begins with the text, and loses its answer and all later ones until `heal`. */
  loseAnswerTo(request: string): void {
    this.lostRequest = request;
  }

  /** Forwards nothing more on the open connections and keeps them open, as a router that forgot them. New ones work. */
  forget(): void {
    for (const socket of this.sockets) this.forgotten.add(socket);
  }

  /** Resets every open connection. New ones are accepted. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Restores normal forwarding. Resets connections that lost data while swallowed. */
  async heal(): Promise<void> {
    if (this.silent || this.losesAnswers) this.reset();
    this.silent = false;
    this.losesAnswers = false;
    this.lostRequest = null;
    if (!this.server) await this.listen();
  }

  async stop(): Promise<void> {
    await this.refuse();
  }

  private listen(): Promise<void> {
    const server = createServer(socket => this.take(socket));
    this.server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', () => {
        this.port = (server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  private take(near: Socket): void {
    const far = connect(this.target);
    near.on('data', (chunk: Buffer) => {
      if (this.lostRequest !== null && chunk.toString('latin1').startsWith(this.lostRequest)) this.losesAnswers = true;
    });
    this.join(near, far, () => false);
    this.join(far, near, () => this.losesAnswers);
  }

  private join(from: Socket, to: Socket, isLost: () => boolean): void {
    this.sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      this.soon(from, () => to.destroy());
    });
    from.on('data', chunk => {
      if (!isLost()) this.soon(from, () => to.write(chunk));
    });
    from.on('end', () => this.soon(from, () => to.end()));
  }

  /** Timers of equal delay keep their order, so the bytes stay in order. */
  private soon(from: Socket, work: () => void): void {
    if (this.silent || this.forgotten.has(from)) return;
    if (this.latency === 0) work();
    else setTimeout(work, this.latency);
  }
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
