import { Global, Module } from '@nestjs/common';
import { ConsumerDependencies } from './event-consumer.js';
import { EpochRepository } from './epoch.repository.js';
import { EventColumns } from './event-columns.js';
import { EventLog } from './event-log.js';
import { EventReaderService } from './event-reader.service.js';
import { EventTail } from './event-tail.js';
import { EventTailRepository } from './event-tail.repository.js';
import { EventRetentionJob } from './event-retention.job.js';
import { EventReadingRepository } from './event-reading.repository.js';
import { EventRepository } from './event.repository.js';
import { WatermarkLag } from './watermark-lag.js';
import { ReadingPositionRepository } from './reading-position.repository.js';

@Global()
@Module({
  providers: [
    EventColumns,
    EventRepository,
    EventReadingRepository,
    EventTailRepository,
    ReadingPositionRepository,
    EpochRepository,
    WatermarkLag,
    EventLog,
    EventTail,
    EventReaderService,
    ConsumerDependencies,
    EventRetentionJob,
  ],
  exports: [EventLog, EventTail, EventReaderService, ConsumerDependencies, WatermarkLag],
})
export class EventsModule {}
