import { Module } from '@nestjs/common';
import { BotHoldings } from './bot-holdings.js';
import { BotSecrets } from './bot-secrets.repository.js';
import { BotsController } from './bots.controller.js';
import { BotsRepository } from './bots.repository.js';
import { BotsService } from './bots.service.js';

@Module({
  controllers: [BotsController],
  providers: [BotsRepository, BotSecrets, BotsService, BotHoldings],
  exports: [BotsService, BotHoldings],
})
export class BotsModule {}
