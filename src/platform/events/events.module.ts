import { Global, Module } from '@nestjs/common';
import { EventLog } from './event-log.js';
import { EventReader } from './event-reader.service.js';
import { EventTail } from './event-tail.js';
import { OldEvents } from './old-events.service.js';
import { EventReadingRepository } from './event-reading.repository.js';
import { EventRepository } from './event.repository.js';

@Global()
@Module({
  providers: [EventRepository, EventReadingRepository, EventLog, EventTail, EventReader, OldEvents],
  exports: [EventLog, EventTail, EventReader],
})
export class EventsModule {}
