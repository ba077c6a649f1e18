import { Global, Module, OnApplicationShutdown } from '@nestjs/common';
import { InvalidDataService } from '../redis/invalid-data.service.js';
import { RedisClient } from '../redis/redis-client.js';
import { Fanout } from './fanout.js';
import { MemoryFanout } from './fanout.memory.js';
import { RedisFanout } from './fanout.redis.js';

@Global()
@Module({
  providers: [
    {
      provide: Fanout,
      inject: [RedisClient, InvalidDataService],
      useFactory: ({ client }: RedisClient, invalid: InvalidDataService) =>
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
