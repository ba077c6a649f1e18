import { Global, Module } from '@nestjs/common';
import { InvalidDataService } from './invalid-data.service.js';
import { RedisClient } from './redis-client.js';

@Global()
@Module({ providers: [RedisClient, InvalidDataService], exports: [RedisClient, InvalidDataService] })
export class RedisModule {}
