import { Module } from '@nestjs/common';
import { BotHoldings } from './bot-holdings.js';
import { BotsController } from './bots.controller.js';
import { BotsRepository } from './bots.repository.js';
import { BotsService } from './bots.service.js';

@Module({
  controllers: [BotsController],
  providers: [BotsRepository, BotsService, BotHoldings],
  exports: [BotsService, BotHoldings],
})
export class BotsModule {}
