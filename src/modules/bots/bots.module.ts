import { Module } from '@nestjs/common';
import { BotsRepository } from './bots.repository.js';
import { BotsService } from './bots.service.js';

@Module({ providers: [BotsRepository, BotsService], exports: [BotsService] })
export class BotsModule {}
