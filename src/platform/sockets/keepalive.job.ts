import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import type { SocketConnection } from './socket-connection.js';
import { CLOSING_MS } from './socket-connection.js';
import { ConnectionAuthorizer } from './connection-authorizer.js';
import { SocketHub } from './socket-hub.js';

const SLICE = 500;
/** How long before its end a token's socket is told of it. */
const WARNING_MS = 60_000;

/**
 * Pings every socket, ends the silent ones, those that do not read and those whose token has ended. One timer for all and a pause after every
 * 500, for a timer a socket costs memory and 10,000 pings in one go stall the loop. Sockets that were opened at once,
 * after a restart, are not pinged at once: each draws its own place in the round.
 */
@Injectable()
export class KeepaliveJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('sockets');
  private readonly everyMs: number;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** When the next walk is due. */
  private dueAt = Infinity;

  constructor(
    private readonly hub: SocketHub,
    private readonly authorizer: ConnectionAuthorizer,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    this.everyMs = Math.min(1_000, config.socketPingIntervalMs / 2);
  }

  onApplicationBootstrap(): void {
    this.schedule();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Looks at each socket once. */
  async checkAll(): Promise<void> {
    const late = Math.max(0, performance.now() - this.dueAt);
    let seen = 0;
    for (const connection of [...this.hub.connections]) {
      this.check(connection, late);
      seen += 1;
      if (seen % SLICE === 0) await new Promise(resolve => setImmediate(resolve));
    }
  }

  private schedule(): void {
    if (this.stopped) return;
    this.dueAt = performance.now() + this.everyMs;
    this.timer = setTimeout(() => {
      void this.checkAll()
        .catch((error: unknown) => this.logger.error(error))
        .finally(() => this.schedule());
    }, this.everyMs).unref();
  }

  /** @param late milliseconds for which this process stood still: what clients said meanwhile has still to be read */
  private check(connection: SocketConnection, late: number): void {
    const now = performance.now();
    connection.lastActivityAt = Math.min(now, connection.lastActivityAt + late);
    if (connection.closedAt !== null) {
      if (now - connection.closedAt > CLOSING_MS) connection.socket.terminate();
    } else if (now - connection.lastActivityAt > this.config.socketPongWaitMs) {
      connection.close('pongTimeout');
    } else if (connection.stalledMs(now, late) > this.config.socketStallMs) {
      connection.close('slowConsumer');
    } else if (this.left(connection) <= 0) {
      connection.close('tokenExpired');
    } else {
      this.ping(connection, now);
    }
  }

  private ping(connection: SocketConnection, now: number): void {
    const msUntilExpiry = this.left(connection);
    if (msUntilExpiry <= WARNING_MS && !connection.warnedOfEnd) {
      connection.warnedOfEnd = true;
      this.authorizer.onTokenExpiring(connection, Math.ceil(msUntilExpiry / 1000));
    }
    const interval = this.config.socketPingIntervalMs;
    connection.pingAt ??= now + Math.random() * interval;
    if (now < connection.pingAt) return;
    connection.pingAt += interval;
    if (connection.pingAt <= now) connection.pingAt = now + interval;
    connection.socket.ping();
  }

  /** Milliseconds until its token ends. */
  private left({ admission: { expiresAt } }: SocketConnection): number {
    return expiresAt ? expiresAt.getTime() - this.clock.now().getTime() : Infinity;
  }
}
