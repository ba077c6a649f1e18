import { Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import type { SocketConnection } from './socket-connection.js';
import { SocketDoor } from './socket-door.js';
import { SocketHub } from './socket-hub.js';

const SLICE = 500;
const GRACE_MS = 2_000;
/** How long before its end a token's socket is told of it. */
const WARNING_MS = 60_000;

/**
 * Pings every socket, ends the silent ones and those whose token has ended. One timer for all and a pause after every
 * 500, for a timer a socket costs memory and 10,000 pings in one go stall the loop.
 */
@Injectable()
export class SocketKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly hub: SocketHub,
    private readonly door: SocketDoor,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    const interval = Math.min(1_000, this.config.socketPingIntervalMs / 2);
    const next = async (): Promise<void> => {
      await this.walk();
      if (!this.stopped) this.timer = setTimeout(() => void next(), interval).unref();
    };
    this.timer = setTimeout(() => void next(), interval).unref();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Looks at each socket once. */
  async walk(): Promise<void> {
    let seen = 0;
    for (const connection of [...this.hub.connections]) {
      this.look(connection);
      seen += 1;
      if (seen % SLICE === 0) await new Promise(resolve => setImmediate(resolve));
    }
  }

  private look(connection: SocketConnection): void {
    const now = performance.now();
    if (connection.closedAt !== null) {
      if (now - connection.closedAt > GRACE_MS) connection.socket.terminate();
    } else if (now - connection.heardAt > this.config.socketPongWaitMs) {
      connection.close('pongTimeout');
    } else if (this.left(connection) <= 0) {
      connection.close('tokenExpired');
    } else {
      this.tend(connection, now);
    }
  }

  private tend(connection: SocketConnection, now: number): void {
    const left = this.left(connection);
    if (left <= WARNING_MS && !connection.warnedOfEnd) {
      connection.warnedOfEnd = true;
      this.door.warn(connection, Math.ceil(left / 1000));
    }
    if (now - connection.pingedAt >= this.config.socketPingIntervalMs) {
      connection.pingedAt = now;
      connection.socket.ping();
    }
  }

  /** Milliseconds until its token ends. */
  private left({ admission: { expiresAt } }: SocketConnection): number {
    return expiresAt ? expiresAt.getTime() - this.clock.now().getTime() : Infinity;
  }
}
