import { Module } from '@nestjs/common';
import { BotChangeHooks } from './bot-change-hooks.js';
import { BotPreviousSecretsRepository } from './bot-previous-secrets.repository.js';
import { BotSecretsRepository } from './bot-secrets.repository.js';
import { BotTeardownHooks } from './bot-teardown-hooks.js';
import { BotEntity } from './bot.entity.js';
import { BotsController } from './bots.controller.js';
import { BOT_EVENTS } from './bots.events.js';
import { BotsRepository } from './bots.repository.js';
import { BotsService } from './bots.service.js';

@Module({
  controllers: [BotsController],
  providers: [
    BotsRepository,
    BotSecretsRepository,
    BotPreviousSecretsRepository,
    BotsService,
    BotChangeHooks,
    BotTeardownHooks,
  ],
  exports: [BotsService, BotChangeHooks, BotTeardownHooks],
})
export class BotsModule {
  static readonly entities = [BotEntity];
  static readonly events = BOT_EVENTS;
}
