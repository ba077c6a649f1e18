import { Global, Module } from '@nestjs/common';
import { EventLog } from './event-log.js';
import { EventTail } from './event-tail.js';
import { EventRepository } from './event.repository.js';

@Global()
@Module({
  providers: [EventRepository, EventLog, EventTail],
  exports: [EventLog, EventTail],
})
export class EventsModule {}
