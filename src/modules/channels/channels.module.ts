import { Module } from '@nestjs/common';
import { BotsModule } from '../bots/index.js';
import { BotDeletionListener } from './listeners/bot-deletion.listener.js';
import { ChannelsController } from './channels.controller.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { IdentitySecretsRepository } from './identity-secrets.repository.js';

@Module({
  imports: [BotsModule],
  controllers: [ChannelsController],
  providers: [ChannelsRepository, IdentitySecretsRepository, ChannelsService, BotDeletionListener],
  exports: [ChannelsService],
})
export class ChannelsModule {}
