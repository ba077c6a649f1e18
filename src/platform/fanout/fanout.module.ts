import { Global, Module, OnApplicationShutdown } from '@nestjs/common';
import { InvalidData } from '../redis/invalid-data.js';
import { RedisClient } from '../redis/redis-client.js';
import { Fanout } from './fanout.js';
import { MemoryFanout } from './fanout.memory.js';
import { RedisFanout } from './fanout.redis.js';

@Global()
@Module({
  providers: [
    {
      provide: Fanout,
      inject: [RedisClient, InvalidData],
      useFactory: ({ client }: RedisClient, invalid: InvalidData) =>
        client ? new RedisFanout(client, invalid) : new MemoryFanout(),
    },
  ],
  exports: [Fanout],
})
export class FanoutModule implements OnApplicationShutdown {
  constructor(private readonly fanout: Fanout) {}

  onApplicationShutdown(): Promise<void> {
    return this.fanout.close();
  }
}
