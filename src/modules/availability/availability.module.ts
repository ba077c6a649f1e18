import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { MembersModule } from '../members/index.js';
import { WorkspacesModule } from '../workspaces/index.js';
import { AvailabilityService } from './availability.service.js';
import { FirstResponseRetentionJob } from './first-response-retention.job.js';
import { FirstResponseEntity } from './first-response.entity.js';
import { ReplyTimeEntity } from './reply-time.entity.js';
import { ReplyTimeWorker } from './reply-time.worker.js';
import { ReplyTimesRepository } from './reply-times.repository.js';
import { ReplyTimesService } from './reply-times.service.js';

@Module({
  imports: [WorkspacesModule, ChannelsModule, MembersModule],
  providers: [ReplyTimesRepository, ReplyTimesService, ReplyTimeWorker, FirstResponseRetentionJob, AvailabilityService],
  exports: [AvailabilityService, ReplyTimesService],
})
export class AvailabilityModule {
  static readonly entities = [FirstResponseEntity, ReplyTimeEntity];
}
