import { Global, Module } from '@nestjs/common';
import { ConsumerDependencies } from './event.consumer.js';
import { EpochRepository } from './epoch.repository.js';
import { EventColumnsService } from './event-columns.service.js';
import { EventLogService } from './event-log.service.js';
import { EventReaderService } from './event-reader.service.js';
import { EventTailJob } from './event-tail.job.js';
import { EventTailRepository } from './event-tail.repository.js';
import { EventRetentionJob } from './event-retention.job.js';
import { EventReadingRepository } from './event-reading.repository.js';
import { EventRepository } from './event.repository.js';
import { WatermarkLag } from './watermark-lag.js';
import { ReadingPositionRepository } from './reading-position.repository.js';

@Global()
@Module({
  providers: [
    EventColumnsService,
    EventRepository,
    EventReadingRepository,
    EventTailRepository,
    ReadingPositionRepository,
    EpochRepository,
    WatermarkLag,
    EventLogService,
    EventTailJob,
    EventReaderService,
    ConsumerDependencies,
    EventRetentionJob,
  ],
  exports: [EventColumnsService, EventLogService, EventTailJob, EventReaderService, ConsumerDependencies, WatermarkLag],
})
export class EventsModule {}
