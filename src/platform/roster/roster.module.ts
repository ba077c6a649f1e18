import { BeforeApplicationShutdown, Global, Module } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Fanout } from '../fanout/fanout.js';
import { InvalidData } from '../redis/invalid-data.js';
import { SharedMemory } from '../redis/shared-memory.js';
import { Roster } from './roster.js';
import { MemoryRoster } from './roster.memory.js';
import { RedisRoster } from './roster.redis.js';

@Global()
@Module({
  providers: [
    {
      provide: Roster,
      inject: [SharedMemory, Fanout, Config, InvalidData],
      useFactory: ({ client }: SharedMemory, fanout: Fanout, { presenceTtlMs }: Config, invalid: InvalidData) =>
        client ? new RedisRoster(client, fanout, presenceTtlMs, invalid) : new MemoryRoster(),
    },
  ],
  exports: [Roster],
})
export class RosterModule implements BeforeApplicationShutdown {
  constructor(
    private readonly roster: Roster,
    private readonly config: Config,
  ) {}

  /** While the bus and Redis are still there. */
  beforeApplicationShutdown(): Promise<void> {
    return this.roster.close(this.config.presenceGraceMs);
  }
}
