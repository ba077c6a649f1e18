import { BeforeApplicationShutdown, Global, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Fanout } from '../fanout/fanout.js';
import { InvalidDataService } from '../redis/invalid-data.service.js';
import { RedisClient } from '../redis/redis-client.js';
import { PresenceStore } from './presence-store.js';
import { MemoryPresenceStore } from '../presence/presence-store.memory.js';
import { RedisPresenceStore } from '../presence/presence-store.redis.js';

@Global()
@Module({
  providers: [
    {
      provide: PresenceStore,
      inject: [RedisClient, Fanout, Config, InvalidDataService],
      useFactory: ({ client }: RedisClient, fanout: Fanout, { presenceTtlMs }: Config, invalid: InvalidDataService) =>
        client ? new RedisPresenceStore(client, fanout, presenceTtlMs, invalid) : new MemoryPresenceStore(),
    },
  ],
  exports: [PresenceStore],
})
export class PresenceStoreModule implements BeforeApplicationShutdown {
  constructor(
    private readonly store: PresenceStore,
    private readonly config: Config,
  ) {}

  /** Runs before `onApplicationShutdown`, while the fanout and Redis are still connected. */
  beforeApplicationShutdown(): Promise<void> {
    return this.store.close(this.config.presenceGraceMs);
  }
}
