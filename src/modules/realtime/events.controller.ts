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
  'The event log for backends: what sockets send to agents, page by page. For live delivery see [the realtime guide](/docs/realtime).',
)
@Controller('events')
export class EventsController {
  constructor(private readonly replay: ReplayService) {}

  @Get()
  @Summary(
    "List the durable events after a cursor, as agents' sockets get them.",
    'In order within each conversation. Start without `after`, then pass the `cursor` of each answer; ask again at once while `has_more` is true. A cursor older than the log is 410 `cursor_expired`: read the present state, then start without one. For API keys, and for admins with scope `all`.',
  )
  @Allow('events:read')
  @Answers(EventPageView)
  @Throws(CursorInvalid, CursorExpired)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListEventsQuery): Promise<EventPageView> {
    const { frames, cursor, hasMore } = await this.replay.page(caller, query.after, query.limit);
    return { items: frames, cursor, has_more: hasMore };
  }
}
