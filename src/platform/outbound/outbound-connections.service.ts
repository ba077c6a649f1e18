import { Injectable } from '@nestjs/common';
import { AddressPolicy } from './address.policy.js';
import { EndpointConnection } from './endpoint-connection.js';
import { IdleConnections } from './idle-connections.js';
import { OutboundLimitsPolicy } from './outbound-limits.policy.js';

/** Lends connections. A host that is not called any more has none after a few seconds. */
@Injectable()
export class OutboundConnectionsService {
  private readonly idle: IdleConnections;

  constructor(
    private readonly policy: AddressPolicy,
    private readonly limits: OutboundLimitsPolicy,
  ) {
    this.idle = new IdleConnections(limits.idleMs, limits.perInstance);
  }

  get idleCount(): number {
    return this.idle.count;
  }

  /**
   * Returns an unused connection, or a new one that connects with its first request.
   * @throws AddressRefused when the URL itself may not be called
   */
  take(url: URL): EndpointConnection {
    this.policy.assertPermitted(url);
    return this.idle.take(url.origin) ?? new EndpointConnection(url.origin, this.policy, this.limits);
  }

  /** Takes back a connection whose answer was read to its end. */
  keep(connection: EndpointConnection): void {
    this.idle.keep(connection);
  }

  closeIdle(): Promise<void> {
    return this.idle.closeAll();
  }
}
