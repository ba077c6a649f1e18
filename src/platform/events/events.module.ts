import { Global, Module } from '@nestjs/common';
import { Reading } from './durable-reader.js';
import { EpochRepository } from './epoch.repository.js';
import { EventLog } from './event-log.js';
import { EventReader } from './event-reader.service.js';
import { EventTail } from './event-tail.js';
import { EventTailRepository } from './event-tail.repository.js';
import { OldEvents } from './old-events.service.js';
import { EventReadingRepository } from './event-reading.repository.js';
import { EventRepository } from './event.repository.js';
import { HorizonAge } from './horizon-age.js';
import { ReadingPositionRepository } from './reading-position.repository.js';

@Global()
@Module({
  providers: [
    EventRepository,
    EventReadingRepository,
    EventTailRepository,
    ReadingPositionRepository,
    EpochRepository,
    HorizonAge,
    EventLog,
    EventTail,
    EventReader,
    Reading,
    OldEvents,
  ],
  exports: [EventLog, EventTail, EventReader, Reading, HorizonAge],
})
export class EventsModule {}
