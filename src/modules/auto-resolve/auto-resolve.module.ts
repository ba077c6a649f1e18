import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { IdleTimerEntity } from './idle-timer.entity.js';
import { IdleTimerWorker } from './idle-timer.worker.js';
import { IdleTimersRepository } from './idle-timers.repository.js';
import { IdleTimerListener } from './listeners/idle-timer.listener.js';

/** Resolves conversations in which nothing public has happened for the hours that their channel sets. */
@Module({
  imports: [ChannelsModule, ConversationsModule],
  providers: [IdleTimersRepository, IdleTimerWorker, IdleTimerListener],
})
export class AutoResolveModule {
  static readonly entities = [IdleTimerEntity];
}
