import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import type { SocketConnection } from './socket-connection.js';
import { CLOSING_MS } from './socket-connection.js';
import { ConnectionAuthorizer } from './connection-authorizer.js';
import { SocketHub } from './socket-hub.js';

const SLICE = 500;
/** How long before a token expires its socket gets `token.expiring`. */
const WARNING_MS = 60_000;

/**
 * Pings every socket. Closes sockets that are silent, do not read or have an expired token.
 *
 * One timer serves all sockets, because a timer each costs memory, and pauses after every 500, because 10,000 pings in
 * one turn stall the event loop. Each socket gets a random first ping, so that sockets opened together after a restart
 * are not pinged together.
 */
@Injectable()
export class KeepaliveJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('sockets');
  private readonly everyMs: number;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** When the next check is due, in the time of `performance.now()`. */
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

  /** Checks each socket once. */
  async checkAll(): Promise<void> {
    const late = Math.max(0, performance.now() - this.dueAt);
    let checked = 0;
    for (const connection of [...this.hub.connections]) {
      this.check(connection, late);
      checked += 1;
      if (checked % SLICE === 0) await new Promise(resolve => setImmediate(resolve));
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

  /** @param late milliseconds for which this process was blocked; frames that arrived meanwhile are still unread */
  private check(connection: SocketConnection, late: number): void {
    const now = performance.now();
    connection.lastActivityAt = Math.min(now, connection.lastActivityAt + late);
    if (connection.closedAt !== null) {
      if (now - connection.closedAt > CLOSING_MS) connection.socket.terminate();
    } else if (now - connection.lastActivityAt > this.config.socketPongWaitMs) {
      connection.close('pongTimeout');
    } else if (connection.stalledMs(now, late) > this.config.socketStallMs) {
      connection.close('slowConsumer');
    } else if (this.msUntilExpiry(connection) <= 0) {
      connection.close('tokenExpired');
    } else {
      this.ping(connection, now);
    }
  }

  private ping(connection: SocketConnection, now: number): void {
    const msLeft = this.msUntilExpiry(connection);
    if (msLeft <= WARNING_MS && !connection.warnedOfExpiry) {
      connection.warnedOfExpiry = true;
      this.authorizer.onTokenExpiring(connection, Math.ceil(msLeft / 1000));
    }
    const interval = this.config.socketPingIntervalMs;
    connection.pingAt ??= now + Math.random() * interval;
    if (now < connection.pingAt) return;
    connection.pingAt += interval;
    if (connection.pingAt <= now) connection.pingAt = now + interval;
    connection.socket.ping();
  }

  /** @returns Infinity for a token that does not expire */
  private msUntilExpiry({ admission: { expiresAt } }: SocketConnection): number {
    return expiresAt ? expiresAt.getTime() - this.clock.now().getTime() : Infinity;
  }
}
