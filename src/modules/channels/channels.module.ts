import { Module } from '@nestjs/common';
import { BotsModule } from '../bots/index.js';
import { ChannelChangeHooks } from './channel-change-hooks.js';
import { ChannelEntity } from './channel.entity.js';
import { ChannelsController } from './channels.controller.js';
import { CHANNEL_EVENTS } from './channels.events.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { IdentitySecretsRepository } from './identity-secrets.repository.js';
import { BotDeletionListener } from './listeners/bot-deletion.listener.js';

@Module({
  imports: [BotsModule],
  controllers: [ChannelsController],
  providers: [ChannelsRepository, IdentitySecretsRepository, ChannelChangeHooks, ChannelsService, BotDeletionListener],
  exports: [ChannelsService, ChannelChangeHooks],
})
export class ChannelsModule {
  static readonly entities = [ChannelEntity];
  static readonly events = CHANNEL_EVENTS;
}
