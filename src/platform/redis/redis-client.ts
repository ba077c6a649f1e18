import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Config } from '../../config/config.js';

/** How long a request waits for an answer, at most: Redis saves time, so it must not cost any. */
const COMMAND_MS = 250;
const CHECK_MS = 1_000;
const RECONNECT_MS = 2_000;
/** How ioredis says that COMMAND_MS are over. */
const TIMED_OUT = 'Command timed out';

/**
 * The Redis that the instances share, where REDIS_URL names one. An accelerator and never a truth: whoever uses it has
 * another way, and takes that at once while Redis is not `ready`.
 */
@Injectable()
export class RedisClient implements OnApplicationBootstrap, OnApplicationShutdown {
  /** null: this instance is on its own. */
  readonly client: Redis | null;
  private readonly logger = new Logger(RedisClient.name);
  private timer: NodeJS.Timeout | undefined;
  private down = false;

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
    const send = client.sendCommand.bind(client);
    client.sendCommand = (command, stream) => {
      const answer = send(command, stream);
      command.promise.catch((error: Error) => this.reconnectAfterTimeout(error));
      return answer;
    };
    return client;
  }

  /**
   * Whoever waited in vain has waited for all: a request that asks Redis six times must not wait six times. Others that
   * wait at present are let go with the connection.
   */
  private reconnectAfterTimeout(error: Error): void {
    if (!this.ready || error.message !== TIMED_OUT) return;
    this.report(error.message);
    this.client?.disconnect(true);
  }

  /** One that hangs keeps its connection open; so somebody asks even when nobody wants anything. */
  private async check(): Promise<void> {
    if (this.ready) await this.client?.ping().catch(() => undefined);
  }

  private report(fault: string | null): void {
    if (fault !== null && !this.down) this.logger.warn(`Redis does not answer (${fault}); going on without it`);
    if (fault === null && this.down) this.logger.log('Redis answers again');
    this.down = fault !== null;
  }
}
