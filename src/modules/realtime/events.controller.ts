import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CursorInvalid } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { CursorExpired } from '../../platform/events/event-reader.service.js';
import { Answers, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { EventPageView, ListEventsQuery } from './events.schema.js';
import { ReplayService } from './replay.service.js';

@ApiTags('Events')
@Controller('events')
export class EventsController {
  constructor(private readonly replay: ReplayService) {}

  @Get()
  @Summary('Every durable event of the workspace behind a cursor, in order per conversation, as agents hear them.')
  @Allow('events:read')
  @Answers(EventPageView)
  @Throws(CursorInvalid, CursorExpired)
  async list(@Caller() caller: StaffPrincipal, @Query() query: ListEventsQuery): Promise<EventPageView> {
    const { frames, cursor, hasMore } = await this.replay.page(caller, query.after, query.limit);
    return { items: frames, cursor, has_more: hasMore };
  }
}
