import { Module } from '@nestjs/common';
import { BotTeardownHooks } from './bot-teardown-hooks.js';
import { BotSecretsRepository } from './bot-secrets.repository.js';
import { BotsController } from './bots.controller.js';
import { BotsRepository } from './bots.repository.js';
import { BotsService } from './bots.service.js';

@Module({
  controllers: [BotsController],
  providers: [BotsRepository, BotSecretsRepository, BotsService, BotTeardownHooks],
  exports: [BotsService, BotTeardownHooks],
})
export class BotsModule {}
