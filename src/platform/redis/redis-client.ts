import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Config } from '../../config/config.js';

/** Command timeout: Redis is only an accelerator, so requests do not wait longer for it. */
const COMMAND_MS = 250;
const CHECK_MS = 1_000;
const RECONNECT_MS = 2_000;
/** ioredis's error message for a command timeout. */
const TIMED_OUT = 'Command timed out';

/**
 * Connection to the Redis that the instances share, if REDIS_URL is set. Redis is never the source of truth: every
 * caller has a fallback and uses it at once while Redis is not `ready`.
 */
@Injectable()
export class RedisClient implements OnApplicationBootstrap, OnApplicationShutdown {
  /** null without REDIS_URL. */
  readonly client: Redis | null;
  private readonly logger = new Logger(RedisClient.name);
  private timer: NodeJS.Timeout | undefined;
  private down = false;
  /** True from a command timeout until the connection has closed. */
  private closing = false;

  constructor(config: Config) {
    this.client = config.redisUrl === null ? null : this.connect(config.redisUrl);
  }

  get ready(): boolean {
    return this.client?.status === 'ready';
  }

  onApplicationBootstrap(): void {
    if (this.client) this.timer = setInterval(() => void this.check(), CHECK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.client?.disconnect();
  }

  private connect(url: string): Redis {
    const client = new Redis(url, {
      lazyConnect: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: RECONNECT_MS,
      commandTimeout: COMMAND_MS,
      retryStrategy: attempt => Math.min(attempt * 100, RECONNECT_MS),
    });
    client.on('error', (error: Error) => this.report(error.message));
    client.on('ready', () => this.report(null));
    client.on('close', () => (this.closing = false));
    const send = client.sendCommand.bind(client);
    client.sendCommand = (command, stream) => {
      const answer = send(command, stream);
      command.promise.catch((error: Error) => this.reconnectAfterTimeout(error));
      return answer;
    };
    return client;
  }

  /**
   * Reconnects after a command timeout, so that a request with six commands does not wait six times. Pending commands
   * fail with the old connection.
   */
  private reconnectAfterTimeout(error: Error): void {
    if (!this.ready || this.closing || error.message !== TIMED_OUT) return;
    this.closing = true;
    this.report(error.message);
    this.client?.disconnect(true);
  }

  /** Pings Redis, because a hanging server keeps its connection open and would go unnoticed without traffic. */
  private async check(): Promise<void> {
    if (this.ready) await this.client?.ping().catch(() => undefined);
  }

  private report(fault: string | null): void {
    if (fault !== null && !this.down) this.logger.warn(`Redis does not answer (${fault}); continuing without it`);
    if (fault === null && this.down) this.logger.log('Redis answers again');
    this.down = fault !== null;
  }
}
