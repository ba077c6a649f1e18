import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/**
 * A TCP proxy between the service and something it depends on, which can be slow, refuse, cut, or say nothing at all.
 * It keeps its port for as long as it lives.
 */
export class TcpProxy {
  /** Held back on each way, in milliseconds. */
  latency = 0;
  private server: Server | null = null;
  private silent = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private target: { host: string; port: number },
    private own: number,
  ) {}

  /** In front of the server that a URL names. */
  static async start(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(addressOf(url), 0);
    await proxy.listen();
    return proxy;
  }

  /** From now on in front of another server: it has come back on a port of its own choice. */
  lead(url: string): void {
    this.target = addressOf(url);
  }

  /** The same address, through here. */
  through(url: string): string {
    const own = new URL(url);
    own.hostname = '127.0.0.1';
    own.port = String(this.own);
    return own.href;
  }

  /** As if nobody listened: connections are cut with a reset, new ones refused. */
  async refuse(): Promise<void> {
    const server = this.server;
    this.server = null;
    const closed = new Promise(resolve => (server ? server.close(resolve) : resolve(undefined)));
    this.reset();
    await closed;
  }

  /** As if the network swallowed every packet: connections stay, new ones are taken, nobody hears anything. */
  swallow(): void {
    this.silent = true;
  }

  /** Cuts every connection; what comes next is another. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** As it should be. What was swallowed is lost, so the connections that it was taken from are cut. */
  async heal(): Promise<void> {
    if (this.silent) this.reset();
    this.silent = false;
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
      server.listen(this.own, '127.0.0.1', () => {
        this.own = (server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  private take(near: Socket): void {
    const far = connect(this.target);
    this.join(near, far);
    this.join(far, near);
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      this.soon(() => to.destroy());
    });
    from.on('data', chunk => this.soon(() => to.write(chunk)));
    from.on('end', () => this.soon(() => to.end()));
  }

  /** Timers of one delay keep their order, and so do the bytes. */
  private soon(work: () => void): void {
    if (this.silent) return;
    if (this.latency === 0) work();
    else setTimeout(work, this.latency);
  }
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
