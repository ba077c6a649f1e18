import { Controller, Get, Query } from '@nestjs/common';
import { CursorInvalid } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { CursorExpired } from '../../platform/events/event-reader.service.js';
import { Answers, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { EventPageView, ListEventsQuery } from './events.schema.js';
import { ReplayService } from './replay.service.js';

@Section(
  'Events',
  'The event log for backends: the durable events that agents receive on sockets, in pages. For live delivery see [the realtime guide](/docs/realtime).',
)
@Controller('events')
export class EventsController {
  constructor(private readonly replay: ReplayService) {}

  @Get()
  @Summary(
    'List durable events after a cursor.',
    'Events are in order within each conversation and have the same data as the frames of agents. Start without `after`, then pass the `cursor` of the previous response; continue at once while `has_more` is true. A cursor older than the log is 410 `cursor_expired`: read the current state, then start without a cursor. For API keys, and for admins with scope `all`.',
  )
  @Allow('events:read')
  @Answers(EventPageView)
  @Throws(CursorInvalid, CursorExpired)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListEventsQuery): Promise<EventPageView> {
    const { frames, cursor, hasMore } = await this.replay.listEvents(caller, query.after, query.limit);
    return { items: frames, cursor, has_more: hasMore };
  }
}
