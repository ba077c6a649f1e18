import { Body, Controller, Post } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { VisitorPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { LimitRate } from '../../platform/limits/rate-limit.guard.js';
import type { VisitorConversationRecord } from '../conversations/index.js';
import { ConversationErased, ConversationViewsService } from '../conversations/index.js';
import { RateConversationBody } from './rating.schema.js';
import { RatingClosed } from './ratings.errors.js';
import { RatingsService } from './ratings.service.js';

@Section('Visitor')
@Controller('widget/conversations/:id/rating')
export class RatingsVisitorController {
  constructor(
    private readonly ratings: RatingsService,
    private readonly views: ConversationViewsService,
  ) {}

  @Post()
  @Summary(
    "Rate one of the visitor's conversations.",
    'For 7 days after it was resolved, if a person or bot has answered and the channel has `csat_enabled`. The last rating counts. Reopening keeps the rating, and the next resolve takes a new one.',
  )
  @Allow('widget:write')
  @LimitRate('rating')
  @Answers('VisitorConversationView')
  @Throws(NotFound, ConversationErased, RatingClosed)
  async rate(
    @Caller() caller: VisitorPrincipal,
    @IdParam() id: string,
    @Body() { score, comment }: RateConversationBody,
  ): Promise<VisitorConversationRecord> {
    return this.views.toVisitorView(await this.ratings.rate(caller, id, score, comment));
  }
}
