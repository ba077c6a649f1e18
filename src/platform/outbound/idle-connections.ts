import type { EndpointConnection } from './endpoint-connection.js';

/** Open connections that no request uses. Each is closed after `idleMs`, and the oldest when there are too many. */
export class IdleConnections {
  /** The timer of each connection, oldest first. */
  private readonly timers = new Map<EndpointConnection, NodeJS.Timeout>();

  constructor(
    private readonly idleMs: number,
    private readonly maxCount: number,
  ) {}

  get count(): number {
    return this.timers.size;
  }

  /** Removes and returns the most recently used open connection to the origin. */
  take(origin: string): EndpointConnection | undefined {
    const found = [...this.timers.keys()].findLast(one => one.origin === origin && one.isOpen);
    if (found) this.forget(found);
    return found;
  }

  /** Keeps a connection for a later request, or closes it if it is not open any more. */
  keep(connection: EndpointConnection): void {
    if (!connection.isOpen) return void connection.close();
    const close = (): void => this.close(connection);
    this.timers.set(connection, setTimeout(close, this.idleMs).unref());
    connection.onClosed(close);
    const [oldest] = this.timers.keys();
    if (oldest && this.timers.size > this.maxCount) this.close(oldest);
  }

  async closeAll(): Promise<void> {
    const all = [...this.timers.keys()];
    for (const connection of all) this.forget(connection);
    await Promise.all(all.map(connection => connection.close()));
  }

  private close(connection: EndpointConnection): void {
    if (this.forget(connection)) void connection.close();
  }

  private forget(connection: EndpointConnection): boolean {
    clearTimeout(this.timers.get(connection));
    return this.timers.delete(connection);
  }
}
