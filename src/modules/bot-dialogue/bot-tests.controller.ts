import { Controller, Post } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, OperationId, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { BotUrlMissing } from './bot-dialogue.errors.js';
import { BotTestView } from './bot-dialogue.schema.js';
import { BotTestsService } from './bot-tests.service.js';

@Section('Bots')
@Controller('bots')
export class BotTestsController {
  constructor(private readonly tests: BotTestsService) {}

  @Post(':id/test')
  @Summary(
    'Send a test delivery to the bot.',
    'Sends `event: "test"` to `webhook_url`, signed like every delivery. Returns what the server answered; nothing is stored. At most ten a minute per workspace.',
  )
  @OperationId('Bots_test')
  @Allow('bots:write')
  @Answers(BotTestView)
  @Throws(NotFound, BotUrlMissing)
  test(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<BotTestView> {
    return this.tests.run(caller, id);
  }
}
