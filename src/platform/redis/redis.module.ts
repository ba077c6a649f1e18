import { Global, Module } from '@nestjs/common';
import { InvalidData } from './invalid-data.js';
import { SharedMemory } from './shared-memory.js';

@Global()
@Module({ providers: [SharedMemory, InvalidData], exports: [SharedMemory, InvalidData] })
export class RedisModule {}
