import { Global, Module } from '@nestjs/common';
import { InvalidData } from './invalid-data.js';
import { RedisClient } from './redis-client.js';

@Global()
@Module({ providers: [RedisClient, InvalidData], exports: [RedisClient, InvalidData] })
export class RedisModule {}
