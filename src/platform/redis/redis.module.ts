import { Global, Module } from '@nestjs/common';
import { SharedMemory } from './shared-memory.js';

@Global()
@Module({ providers: [SharedMemory], exports: [SharedMemory] })
export class RedisModule {}
