import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import { sendCancelRequest } from './cancel-request.js';
import type { OpenConnectionsRegistry } from './open-connections.registry.js';

export interface PoolClientConfig extends ClientConfig {
  /** Registry to which each client of the pool adds itself. */
  connections?: OpenConnectionsRegistry;
}

/** Members of pg's Client that its types omit. */
interface Internals {
  processID: number | null;
  secretKey: number | null;
  ssl: ConnectionOptions | boolean;
  connection: { stream: { destroy(): void } };
  /** The pool discards a client that is ending, and pg sends no more statements over it. */
  _ending: boolean;
}

type Callback = (error?: Error | null, result?: unknown) => void;

/** Maximum time for a cancel request: a hanging server does not process it either. */
const CANCEL_MS = 1_000;

/**
 * Client that cancels a statement on the server and closes the connection after a query timeout. pg's `query_timeout`
 * only stops waiting for the answer: the statement would keep running, keep its locks and its server connection, and
 * delay the next statement on this connection.
 *
 * A lost connection never ends the process. Between the error listeners of the pool and of TypeORM there is a gap of
 * one tick, in which a closed session would otherwise raise an unhandled error.
 */
export class PoolClient extends Client {
  private cancelling: Promise<void> | undefined;

  constructor(config: PoolClientConfig = {}) {
    super(config);
    const { connections } = config;
    this.on('error', () => undefined);
    this.wrapMethods();
    if (connections) this.register(connections);
  }

  /** Closes the socket, so that running statements fail at once. */
  closeNow(): void {
    this.internals.connection.stream.destroy();
  }

  private get internals(): Internals {
    return this as unknown as Internals;
  }

  /** Wraps `query` and `end` as instance properties, because pg declares them with many overloads. */
  private wrapMethods(): void {
    const send = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((query: unknown, values?: unknown, callback?: Callback) => {
      if (callback) return send(query, values, this.watch(callback));
      if (typeof values === 'function') return send(query, this.watch(values as Callback));
      const answer = send(query, values);
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

  private register(connections: OpenConnectionsRegistry): void {
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
