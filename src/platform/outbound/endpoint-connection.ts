import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import { buildConnector, Client } from 'undici';
import { AddressPolicy, AddressRefused } from './address.policy.js';
import type { OutboundLimitsPolicy } from './outbound-limits.policy.js';

type Limits = Pick<OutboundLimitsPolicy, 'idleMs' | 'headBytes'>;

/**
 * One connection to a host; its address is checked when it is made, which defeats DNS rebinding. It ignores proxy
 * variables of the environment, follows no redirect, decompresses nothing, and sends one request at a time.
 */
export class EndpointConnection {
  private readonly client: Client;
  private socket: Socket | undefined;
  private notifyClosed: () => void = () => undefined;

  constructor(
    readonly origin: string,
    policy: AddressPolicy,
    { idleMs, headBytes }: Limits,
  ) {
    this.client = new Client(origin, {
      connect: guardedConnector(policy, socket => (this.socket = socket)),
      pipelining: 1,
      // the sender has exact limits of its own
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: headBytes,
    });
    this.client.on('disconnect', () => this.notifyClosed());
  }

  /** @throws Error when there is no answer */
  async request(path: string, headers: Record<string, string>, body: string): Promise<Dispatcher.ResponseData> {
    const answer = await this.client.request({ method: 'POST', path, headers, body });
    // an answer that nobody reads to its end may break
    answer.body.on('error', () => undefined);
    return answer;
  }

  /** True while another request may use the connection. */
  get isOpen(): boolean {
    const { connected, running, pending } = this.client.stats;
    return !this.client.destroyed && connected && running === 0 && pending === 0;
  }

  /** Sets the only listener for the end of the connection. */
  onClosed(listener: () => void): void {
    this.notifyClosed = listener;
  }

  /** Closes the connection at once, also while it is being made. */
  async close(): Promise<void> {
    this.socket?.destroy();
    await this.client.destroy();
  }
}

function guardedConnector(policy: AddressPolicy, onSocket: (socket: Socket) => void): buildConnector.connector {
  // TLS sessions are not shared: a resumed session would skip the check of the certificate
  const connect = buildConnector({
    timeout: 0,
    maxCachedSessions: 0,
    rejectUnauthorized: true,
    lookup: policy.lookup,
  }) as (...parameters: Parameters<buildConnector.connector>) => Socket;
  return (options, done) => {
    const { hostname } = options;
    // Node does not call `lookup` for addresses
    if (isIP(hostname) === 0 || policy.permits(hostname)) onSocket(connect(options, done));
    else queueMicrotask(() => done(new AddressRefused(hostname), null));
  };
}
