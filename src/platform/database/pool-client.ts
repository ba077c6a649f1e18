import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import { sendCancelRequest } from './cancel-request.js';
import type { OpenConnections } from './open-connections.js';

export interface PoolClientConfig extends ClientConfig {
  /** Where each client of the pool registers itself. */
  connections?: OpenConnections;
}

/** What pg's types leave out. */
interface Internals {
  processID: number | null;
  secretKey: number | null;
  ssl: ConnectionOptions | boolean;
  connection: { stream: { destroy(): void } };
  /** The pool takes back no client that is ending, and pg asks nothing more of it. */
  _ending: boolean;
}

type Callback = (error?: Error | null, result?: unknown) => void;

/** A server that hangs does not take a cancel request either. */
const CANCEL_MS = 1_000;

/**
 * A connection that ends with a statement that took too long, on both sides. pg's `query_timeout` gives up on the answer
 * alone: the statement would go on in the server, hold its locks and its place among the server's connections, and
 * whatever is asked next would queue behind it. So the server is told to cancel it, and the connection is closed.
 *
 * The loss of a connection never ends the process: the pool stops listening for errors when it hands a connection over,
 * TypeORM begins to a turn later, and a session that ends in between would be an error without a listener.
 */
export class PoolClient extends Client {
  private cancelling: Promise<void> | undefined;

  constructor(config: PoolClientConfig = {}) {
    super(config);
    const { connections } = config;
    this.on('error', () => undefined);
    this.replaceQuery();
    if (connections) this.register(connections);
  }

  /** Closes the socket; whatever is under way fails at once. */
  closeNow(): void {
    this.internals.connection.stream.destroy();
  }

  private get internals(): Internals {
    return this as unknown as Internals;
  }

  /** Own properties, for pg declares these methods with many overloads. */
  private replaceQuery(): void {
    const ask = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((query: unknown, values?: unknown, callback?: Callback) => {
      if (callback) return ask(query, values, this.watch(callback));
      if (typeof values === 'function') return ask(query, this.watch(values as Callback));
      const answer = ask(query, values);
      if (answer instanceof Promise) answer.catch((error: Error) => this.endIfLate(error));
      return answer;
    }) as Client['query'];
    const end = this.end.bind(this) as (callback?: () => void) => Promise<void> | void;
    this.end = ((callback?: () => void) => {
      if (!this.cancelling) return end(callback);
      // the pooler or server must still know the session when the cancel request arrives
      const ended = this.cancelling.then(() => new Promise<void>(resolve => void end(resolve)));
      if (!callback) return ended;
      void ended.then(callback);
    }) as Client['end'];
  }

  private watch(callback: Callback): Callback {
    return (error, result) => {
      if (error) this.endIfLate(error);
      callback(error, result);
    };
  }

  private register(connections: OpenConnections): void {
    connections.add(this);
    this.once('end', () => connections.remove(this));
    const connect = this.connect.bind(this) as (callback: Callback) => void;
    this.connect = ((callback: Callback) => {
      if (!connections.closed) return connect(callback);
      connections.remove(this);
      process.nextTick(callback, new Error('Connection terminated: the service stops'));
    }) as Client['connect'];
  }

  private endIfLate(error: Error): void {
    if (error.message !== 'Query read timeout' || this.cancelling) return;
    const { processID, secretKey, ssl } = this.internals;
    const { host, port } = this;
    this.cancelling =
      processID === null || secretKey === null
        ? Promise.resolve()
        : sendCancelRequest({ host, port, processId: processID, secretKey, tls: ssl }, CANCEL_MS);
    this.internals._ending = true;
    void this.end();
  }
}
