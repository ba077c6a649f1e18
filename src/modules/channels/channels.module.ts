import { Module } from '@nestjs/common';
import { BotsModule } from '../bots/index.js';
import { BotDetachment } from './bot-detachment.service.js';
import { ChannelsController } from './channels.controller.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { IdentitySecrets } from './identity-secrets.repository.js';

@Module({
  imports: [BotsModule],
  controllers: [ChannelsController],
  providers: [ChannelsRepository, IdentitySecrets, ChannelsService, BotDetachment],
  exports: [ChannelsService],
})
export class ChannelsModule {}
