import { Global, Module, OnApplicationShutdown } from '@nestjs/common';
import { Fanout } from './fanout.js';
import { MemoryFanout } from './fanout.memory.js';

@Global()
@Module({
  providers: [{ provide: Fanout, useFactory: () => new MemoryFanout() }],
  exports: [Fanout],
})
export class FanoutModule implements OnApplicationShutdown {
  constructor(private readonly fanout: Fanout) {}

  onApplicationShutdown(): Promise<void> {
    return this.fanout.close();
  }
}
